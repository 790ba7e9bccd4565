// Flights: what requests are computing at this moment, so that two of them that miss the same entry
// compute it once.
//
// The first request that asks for a key leads; those that ask later wait until it has landed and
// take the same tensors, which then nobody hands to a caller as its own. A flight that has landed
// can be joined until it is closed, which is when its request has retained what it retains.
// No deadlock: a leader that has not landed joins no other flight. It may wait for a callable to
// become resident, and who holds what it waits for there (ResidentAccount) joins no flight either.
// Thread safety: every method may be called concurrently.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "changeaware/tensor.h"
#include "runtime/cache/retained_cache.h"
#include "runtime/cancellation.h"

namespace changeaware {

class Flights {
 public:
  struct Flight;
  struct Joined {
    // To lead: compute, land(), close(). Null: another request led.
    std::shared_ptr<Flight> lead;
    // What it computed; nothing when it failed.
    std::optional<std::vector<Tensor>> outputs;
  };

  // Waits while another request leads. Errors: Cancelled.
  Result<Joined> join(const RetainedCache::Key& key, const Cancellation& cancellation);
  // `outputs`: nothing after a failure, which closes the flight too.
  void land(const std::shared_ptr<Flight>& flight,
            std::optional<std::vector<Tensor>> outputs) noexcept;
  // True when others took the outputs. One that has not landed lands as failed.
  bool close(const std::shared_ptr<Flight>& flight) noexcept;

 private:
  void land_locked(Flight& flight, std::optional<std::vector<Tensor>> outputs);

  std::mutex mutex_;
  std::condition_variable_any landed_;
  std::unordered_map<RetainedCache::Key, std::shared_ptr<Flight>, RetainedCache::KeyHash> flights_;
};

}  // namespace changeaware
