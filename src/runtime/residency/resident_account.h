// ResidentAccount: which callables are resident, in how many bytes, under one hard budget.
//
// Before a callable is loaded, its bytes are reserved: as many as it needs while it is being
// loaded. Others that nobody has pinned are released for that, those first that are quickest to
// bring back per byte and longest unused (GreedyDual-Size: Cao and Irani, "Cost-aware WWW proxy
// caching algorithms", 1997). Afterwards it is booked with the larger of the estimate and the
// growth that the operating system reports, and what was found is the estimate of later loads.
//
// Growth while another callable was loaded, released or may have run is not used. It may still hold
// what the application allocated meanwhile, so it makes others leave but refuses nothing: what fits
// by its estimate is loaded, and if more was found it has all of the budget to itself.
// A failed or abandoned load gives its bytes back. Several callables may be loaded at once.
//
// Waiting: whoever finds no room stands in line until the pins and loads of others leave some.
// While it does, those that come later stand behind it, also for what is resident: otherwise short
// requests that take turns in pinning small callables would keep a large one out for ever. Who only
// waits for a callable that another thread loads or releases holds nobody up.
// No deadlock, provided that a thread which waits here holds no pin: then every byte in the way
// belongs to a pinned callable that runs, a load or a release, and none of those waits in line.
// Thread safety: every method may be called concurrently. No method changes anything when memory
// for its own bookkeeping runs out (std::bad_alloc).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "changeaware/status.h"
#include "runtime/cancellation.h"

namespace changeaware {

struct LoadEstimate {
  std::string name;             // of the callable, for errors
  uint64_t resident_bytes = 0;  // once it has run
  uint64_t loading_bytes = 0;   // the most while it is being loaded; at least resident_bytes
  double load_us = 0;
};

// loading_bytes for a callable whose weights are packed from mapped pages that are dropped as
// packing proceeds: a constant more, at most as much again.
uint64_t loading_bytes(uint64_t resident_bytes);

class ResidentAccount {
 public:
  // `release` destroys a callable's executable; it must not call the account, except bytes() and
  // the like. `measure` gives the bytes that the process has now, 0 when it cannot tell.
  using Release = std::function<void(size_t callable)>;
  using Measure = std::function<uint64_t()>;
  ResidentAccount(size_t callables, Release release, Measure measure = anonymous_bytes);

  // One load in progress. Destroyed without finish(), it gives the bytes back: destroy a half-made
  // executable first.
  class Load {
   public:
    Load(Load&& other) noexcept;
    Load& operator=(Load&&) = delete;
    ~Load();
    // The executable is there: books it, pinned once; what it turned out to take beyond what was
    // reserved as far as others can be released for it. After an error the caller destroys the
    // executable and then this, which gives the bytes back.
    Status finish();

   private:
    friend class ResidentAccount;
    Load(ResidentAccount* account, size_t callable, LoadEstimate estimate, uint64_t budget_bytes)
        : account_(account),
          callable_(callable),
          estimate_(std::move(estimate)),
          budget_bytes_(budget_bytes) {}

    ResidentAccount* account_;
    size_t callable_;
    LoadEstimate estimate_;
    uint64_t budget_bytes_;
    uint64_t before_bytes_ = 0;
    uint64_t activity_ = 0;  // of the account when the load began; 0 = growth says nothing
  };

  // Pins the callable when it is resident, and gives nothing. Else makes room, reserves, and gives
  // the load that the caller is to carry out. Waits while another thread loads or releases it, and
  // while what others have pinned or are loading leaves no room. REQUIRES: the caller holds no pin.
  // OverBudget, naming the callable and the bytes, at once when it does not fit alone; Cancelled.
  Result<std::optional<Load>> acquire(size_t callable, LoadEstimate estimate, uint64_t budget_bytes,
                                      const Cancellation& cancellation);
  // The same without waiting: OverBudget also when it would have to.
  Result<std::optional<Load>> try_acquire(size_t callable, LoadEstimate estimate,
                                          uint64_t budget_bytes);

  // Keeps a resident callable from being released; false when it is not resident.
  bool pin(size_t callable);
  // REQUIRES: pinned.
  void unpin(size_t callable);
  // REQUIRES: pinned. A resident callable was found to take `bytes` (its first run touches memory
  // that loading did not): books them if they are more and fit into `budget_bytes` after others are
  // released; remembered as the estimate in any case. OverBudget when they do not fit: the account
  // then holds what it held, and the caller should release the callable.
  Status recalibrate(size_t callable, uint64_t bytes, uint64_t budget_bytes);
  // Releases all that nobody has pinned.
  void release_unpinned();

  // What acquire() would reserve: the estimate or what was found before.
  uint64_t expected_bytes(size_t callable, const LoadEstimate& estimate,
                          uint64_t budget_bytes) const;
  bool is_resident(size_t callable) const;
  uint64_t bytes(size_t callable) const;
  struct Totals {
    uint64_t bytes = 0;       // booked and reserved now
    uint64_t peak_bytes = 0;  // the most at once
    uint64_t loads = 0;
    uint64_t failed_loads = 0;
    uint64_t evictions = 0;
    uint64_t waiting = 0;  // in line now
  };
  Totals totals() const;

  static uint64_t anonymous_bytes();

 private:
  enum class State : uint8_t { kAbsent, kLoading, kResident, kReleasing };
  struct Item {
    State state = State::kAbsent;
    uint64_t bytes = 0;
    uint64_t pins = 0;
    uint64_t found_bytes = 0;  // the most that was ever measured
    double load_us = 0;
    double priority = 0;
  };

  // Somebody in acquire().
  struct Waiter {
    size_t callable;
  };
  using Line = std::list<Waiter>;
  class Place;

  Result<std::optional<Load>> acquire_within(size_t callable, LoadEstimate estimate,
                                             uint64_t budget_bytes, const Cancellation* patience);
  Result<std::optional<Load>> pin_or_reserve(size_t callable, LoadEstimate estimate,
                                             uint64_t budget_bytes, const Cancellation* patience);
  bool is_next(Line::const_iterator place) const;
  uint64_t bytes_in_use(size_t except, bool count_releasing) const;
  bool fits(uint64_t bytes, uint64_t budget_bytes) const;
  Status book_growth(size_t callable, uint64_t bytes, const std::string& name,
                     uint64_t budget_bytes, std::unique_lock<std::mutex>& lock);
  static uint64_t to_reserve(const Item& item, const LoadEstimate& estimate, uint64_t budget_bytes);
  bool evict_one(size_t keep, std::unique_lock<std::mutex>& lock);
  void add_pin(Item& item);
  void leave(Item& item, State state);
  void book(Item& item, uint64_t bytes);
  Status finish_load(Load& load);
  void abandon(Load& load);

  const Release release_;
  const Measure measure_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;  // states, pins, or who is next in line
  std::vector<Item> items_;
  Line line_;  // oldest first
  Totals totals_;
  uint64_t activity_ = 1;  // grows with each pin, load and release
  uint64_t pinned_ = 0;
  uint64_t loading_ = 0;
  double inflation_ = 0;
};

}  // namespace changeaware
