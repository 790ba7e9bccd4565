// Cancellation: the caller's wish that a request ends early.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include "changeaware/status.h"
#include "runtime/elapsed.h"

namespace changeaware {

struct Cancellation {
  std::stop_token stop;
  std::optional<Clock::time_point> deadline;

  // Cancelled once the caller asked to stop or the deadline has passed.
  Status status() const;
  // Waits until `is_done` or cancelled; the last value of `is_done`.
  template <class Done>
  bool wait(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
            Done is_done) const {
    if (!deadline) return changed.wait(lock, stop, is_done);
    return changed.wait_until(lock, stop, *deadline, is_done);
  }
};

}  // namespace changeaware
