// RetainedCache: outputs of regions, kept for later requests under a hard budget in bytes.
//
// Invariants (check_invariants):
//   retained_bytes == sum of bytes over entries <= budget_bytes
//   an entry that is pinned is there until its last pin goes
// Keys: an entry is found by what its region was given, written in two ways.
//   versions: the versions of exactly the program inputs that the region depends on, and the shapes
//             of its shape dependencies; known before anything runs.
//   contents: fingerprints of the tensors that the region itself reads; known once the regions
//             before it have run. Equal contents under other versions is what early cutoff finds.
// Both are sound for the same reason: a region is a function of what it reads. An entry may have
// several keys of each kind.
// An entry need not hold all outputs of its region: a strategy retains those that it will need.
// Eviction: GreedyDual-Size with Frequency (Cao and Irani, USENIX Symposium on Internet
// Technologies and Systems, 1997; Cherkasova, HP Laboratories HPL-98-69R1, 1998): priority =
// inflation + uses * recomputation time / bytes, renewed on every use; the least goes first and
// raises the inflation, which ages the others. Before all of them go entries that only an exact
// repeat of a whole request could use; of those a region keeps the latest few, so that memory is
// used again while it is warm.
// Thread safety: every method may be called concurrently. Where memory for bookkeeping runs out
// (std::bad_alloc), the invariants hold and nothing new is there.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware {

struct CacheStats {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t entries = 0;
};

class RetainedCache {
 public:
  struct Entry;

  // Keeps an entry from eviction; null when nothing was found. Must not outlive the cache.
  class Pin {
   public:
    Pin() = default;
    Pin(RetainedCache* cache, std::shared_ptr<Entry> entry)
        : cache_(cache), entry_(std::move(entry)) {}
    ~Pin() { reset(); }
    Pin(Pin&& other) noexcept : cache_(other.cache_), entry_(std::move(other.entry_)) {}
    Pin& operator=(Pin&& other) noexcept;
    explicit operator bool() const { return entry_ != nullptr; }
    // By output of the region; not defined() where it is not retained. Read-only to everyone.
    const std::vector<Tensor>& outputs() const;
    void reset();

   private:
    friend class RetainedCache;
    RetainedCache* cache_ = nullptr;
    std::shared_ptr<Entry> entry_;
  };

  struct Key {
    size_t region = 0;
    std::string text;  // framed versions or contents; the two never look alike
    bool operator==(const Key&) const = default;
  };

  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<std::string>()(key.text) ^ (key.region * 0x9e3779b97f4a7c15ull);
    }
  };

  struct Found {
    Pin pin;
    bool was_evicted = false;  // it was there and had to make room, not long ago
  };

  struct Candidate {
    Key key;
    std::vector<Tensor> outputs;  // by output of the region; not defined() where not retained
    double cost_us = 0;           // of computing them again
    bool only_exact_repeat = false;
    std::vector<std::string> prints;  // of the outputs' contents; empty = not taken
  };

  explicit RetainedCache(uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  // Pins the entry without counting a hit: a plan may turn out not to need it.
  Found find(const Key& key);
  // A request reads what `pin` holds: counts a hit and renews its priority. REQUIRES: pin.
  void use(const Pin& pin);
  void count_miss();
  // The entry is found by `key` too. The oldest keys beyond a few of the entry are forgotten; one
  // that leads to another entry already stays there. REQUIRES: pin.
  void add_key(const Pin& pin, const Key& key);
  // Fingerprints of the outputs, once somebody took them. REQUIRES: pin.
  std::vector<std::string> prints(const Pin& pin) const;
  void set_prints(const Pin& pin, std::vector<std::string> prints);
  // Reserves room, evicting what is not pinned, and stores. Without room nothing is stored, the pin
  // is null and `why_not` says why. An entry that is there already and holds as much is pinned
  // instead; one that holds other outputs is replaced by one with both.
  Pin store(Candidate candidate, std::string& why_not);
  // The entry goes with its last pin, and is not found from now on. REQUIRES: pin.
  void forget(const Pin& pin);
  void clear();  // pinned entries go when their last pin does
  // Evicts at once what is not pinned, and the rest when its pins go.
  void set_budget(uint64_t budget_bytes);
  CacheStats stats() const;
  struct Listed {
    size_t region = 0;
    size_t version = 0;  // a hash of the key it was stored under
    uint64_t bytes = 0;
    uint64_t uses = 0;
  };
  // The largest entries, at most `most` of them, in descending order.
  std::vector<Listed> largest(size_t most) const;
  bool check_invariants() const;
  uint64_t budget_bytes() const;

 private:
  using Order =
      std::tuple<bool, double, uint64_t>;  // evicted first: exact repeats, low priority, old

  // Keys that were evicted lately, as hashes: they only explain, so a collision does no harm.
  class Evicted {
   public:
    void add(size_t hash) noexcept;
    bool contains(size_t hash) const { return hashes_.contains(hash); }

   private:
    static constexpr size_t kMost = 4096;
    std::unordered_set<size_t> hashes_;
    std::deque<size_t> by_age_;
  };

  Order order_of(const Entry& entry) const;
  void drop_old_repeats(size_t region);
  void renew(const std::shared_ptr<Entry>& entry);
  void count_use(Entry& entry);
  void enter(const std::shared_ptr<Entry>& entry);
  bool make_room(uint64_t bytes);
  bool merge_with(const std::shared_ptr<Entry>& old, Candidate& candidate);
  void evict(const std::shared_ptr<Entry>& entry);
  void remove(const std::shared_ptr<Entry>& entry);
  void unpin(const std::shared_ptr<Entry>& entry);

  static constexpr size_t kMostEntries = 1 << 16;
  static constexpr size_t kMostRepeats = 8;  // exact-repeat entries of one region
  static constexpr size_t kMostKeys = 16;    // of one entry

  mutable std::mutex mutex_;
  uint64_t budget_bytes_;
  std::unordered_map<Key, std::shared_ptr<Entry>, KeyHash> by_key_;
  std::map<Order, std::shared_ptr<Entry>> by_order_;
  Evicted evicted_;
  double inflation_ = 0;
  uint64_t next_id_ = 0;
  CacheStats stats_;
};

struct RetainedCache::Entry {
  size_t region = 0;
  std::deque<Key> keys;  // oldest first
  std::vector<Tensor> outputs;
  std::vector<std::string> prints;
  uint64_t bytes = 0;
  double cost_us = 0;
  bool only_exact_repeat = false;
  uint64_t uses = 0;
  double priority = 0;
  uint64_t id = 0;
  int pins = 0;
  bool doomed = false;  // cleared, or over a lowered budget, while pinned
};

}  // namespace changeaware
