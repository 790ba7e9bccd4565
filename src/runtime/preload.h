// Preload: makes callables ready in the background, several at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/executables.h"

namespace changeaware {

class Preload {
 public:
  enum class Room : uint8_t {
    kThereIs,   // loads only what others leave room for at that moment
    kWaitForIt  // waits for it
  };
  // Begins at once, where all of `callables` fit into the budget side by side; else does nothing.
  // `executables` must outlive this.
  Preload(ExecutableStore& executables, std::vector<size_t> callables, uint64_t budget_bytes,
          Room room);
  // Begins nothing more, and waits for what has begun.
  ~Preload() {
    next_ = callables_.size();
    join();
  }
  Preload(const Preload&) = delete;
  Preload& operator=(const Preload&) = delete;

  // The first error, once everything is loaded or has failed. Where memory runs out that is
  // OverBudget.
  Status wait();

 private:
  void work();
  Status load(size_t callable);
  void join();

  ExecutableStore& executables_;
  const std::vector<size_t> callables_;
  const uint64_t budget_bytes_;
  const Room room_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  Status first_error_;  // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace changeaware
