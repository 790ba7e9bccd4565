// RetainedCache: outputs of regions, kept for later requests under a hard budget in bytes.
//
// Invariants (check_invariants):
//   retained_bytes == sum of bytes over entries <= budget_bytes
//   an entry that is pinned is there until its last pin goes
// Key: region and, framed, the versions of exactly its dependencies and the shapes of its shape
// dependencies. Several versions of a region live side by side.
// Eviction: GreedyDual-Size (Cao and Irani, USENIX Symposium on Internet Technologies and Systems,
// 1997): priority = inflation + recomputation time / bytes, renewed on every use; the least goes
// first and raises the inflation, which ages the others. Before all of them go entries that only an
// exact repeat of a whole request could use; of those a region keeps the latest few, so that memory
// is used again while it is warm.
// Thread safety: every method may be called concurrently.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
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
    // Read-only to everyone.
    const std::vector<Tensor>& outputs() const;
    void reset();

   private:
    friend class RetainedCache;
    RetainedCache* cache_ = nullptr;
    std::shared_ptr<Entry> entry_;
  };

  struct Key {
    size_t region = 0;
    std::string versions;
    bool operator==(const Key&) const = default;
  };

  struct Candidate {
    Key key;
    std::vector<Tensor> outputs;
    double cost_us = 0;  // of computing them again
    bool only_exact_repeat = false;
  };

  explicit RetainedCache(uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  // Pins the entry without counting a hit: a plan may turn out not to need it.
  Pin find(const Key& key);
  // A request reads what `pin` holds: counts a hit and renews its priority. REQUIRES: pin.
  void use(const Pin& pin);
  void count_miss();
  // Reserves room, evicting what is not pinned, and stores. Without room nothing is stored, the pin
  // is null and `why_not` says why. An entry that is there already is pinned instead.
  Pin store(Candidate candidate, std::string& why_not);
  void clear();  // pinned entries go when their last pin does
  CacheStats stats() const;
  bool check_invariants() const;
  uint64_t budget_bytes() const { return budget_bytes_; }

 private:
  using Order =
      std::tuple<bool, double, uint64_t>;  // evicted first: exact repeats, low priority, old

  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<std::string>()(key.versions) ^ (key.region * 0x9e3779b97f4a7c15ull);
    }
  };

  Order order_of(const Entry& entry) const;
  void drop_old_repeats(size_t region);
  void renew(const std::shared_ptr<Entry>& entry);
  bool make_room(uint64_t bytes);
  void remove(const std::shared_ptr<Entry>& entry);
  void unpin(const std::shared_ptr<Entry>& entry);

  static constexpr size_t kMostEntries = 1 << 16;
  static constexpr size_t kMostRepeats = 8;  // exact-repeat entries of one region

  const uint64_t budget_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<Entry>, KeyHash> entries_;
  std::map<Order, std::shared_ptr<Entry>> by_order_;
  double inflation_ = 0;
  uint64_t next_id_ = 0;
  CacheStats stats_;
};

struct RetainedCache::Entry {
  Key key;
  std::vector<Tensor> outputs;
  uint64_t bytes = 0;
  double cost_us = 0;
  bool only_exact_repeat = false;
  double priority = 0;
  uint64_t id = 0;
  int pins = 0;
  bool doomed = false;  // cleared while pinned
};

}  // namespace changeaware
