#include "runtime/cache/retained_cache.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace changeaware {
namespace {

// What an entry without tensors (a passed assertion) counts: about its own bookkeeping.
constexpr uint64_t kEmptyEntryBytes = 256;

uint64_t count_bytes(const std::vector<Tensor>& outputs) {
  uint64_t bytes = 0;
  for (const Tensor& t : outputs) bytes += t.size_bytes();
  return bytes == 0 ? kEmptyEntryBytes : bytes;
}

}  // namespace

RetainedCache::Pin& RetainedCache::Pin::operator=(Pin&& other) noexcept {
  if (this != &other) {
    reset();
    cache_ = other.cache_;
    entry_ = std::move(other.entry_);
  }
  return *this;
}

const std::vector<Tensor>& RetainedCache::Pin::outputs() const { return entry_->outputs; }

void RetainedCache::Pin::reset() {
  if (entry_ != nullptr) cache_->unpin(entry_);
  entry_.reset();
}

RetainedCache::Order RetainedCache::order_of(const Entry& e) const {
  return {!e.only_exact_repeat, e.priority, e.id};
}

// REQUIRES (as all private methods): mutex_ is held, except unpin().
void RetainedCache::renew(const std::shared_ptr<Entry>& e) {
  by_order_.erase(order_of(*e));
  e->priority = inflation_ + e->cost_us / static_cast<double>(e->bytes);
  e->id = next_id_++;
  by_order_.emplace(order_of(*e), e);
}

void RetainedCache::remove(const std::shared_ptr<Entry>& e) {
  by_order_.erase(order_of(*e));
  entries_.erase(e->key);
  stats_.bytes -= e->bytes;
}

bool RetainedCache::make_room(uint64_t bytes) {
  if (bytes > budget_bytes_) return false;
  // First see whether what may go is enough, so that nothing is evicted in vain.
  uint64_t evictable = 0;
  std::vector<std::shared_ptr<Entry>> victims;
  const auto enough = [&] {
    return stats_.bytes - evictable + bytes <= budget_bytes_ &&
           entries_.size() - victims.size() < kMostEntries;
  };
  for (auto it = by_order_.begin(); it != by_order_.end() && !enough(); ++it) {
    if (it->second->pins > 0) continue;
    evictable += it->second->bytes;
    victims.push_back(it->second);
  }
  if (!enough()) return false;
  for (const auto& victim : victims) {
    inflation_ = std::max(inflation_, victim->priority);
    remove(victim);
    ++stats_.evictions;
  }
  return true;
}

void RetainedCache::unpin(const std::shared_ptr<Entry>& e) {
  const std::lock_guard lock(mutex_);
  assert(e->pins > 0);
  if (--e->pins == 0 && e->doomed) remove(e);
}

// Exact-repeat entries are at the front of the order, so this looks at no others.
void RetainedCache::drop_old_repeats(size_t region) {
  std::vector<std::shared_ptr<Entry>> repeats;
  for (const auto& [order, entry] : by_order_) {
    if (!entry->only_exact_repeat) break;
    if (entry->key.region == region && entry->pins == 0) repeats.push_back(entry);
  }
  if (repeats.size() < kMostRepeats) return;
  const auto oldest = std::min_element(repeats.begin(), repeats.end(),
                                       [](const auto& a, const auto& b) { return a->id < b->id; });
  remove(*oldest);
  ++stats_.evictions;
}

RetainedCache::Pin RetainedCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || it->second->doomed) return {};
  ++it->second->pins;
  return Pin(this, it->second);
}

void RetainedCache::use(const Pin& pin) {
  const std::lock_guard lock(mutex_);
  ++stats_.hits;
  renew(pin.entry_);
}

void RetainedCache::count_miss() {
  const std::lock_guard lock(mutex_);
  ++stats_.misses;
}

RetainedCache::Pin RetainedCache::store(Candidate candidate, std::string& why_not) {
  const uint64_t bytes = count_bytes(candidate.outputs);
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(candidate.key); it != entries_.end() && !it->second->doomed) {
    ++it->second->pins;
    return Pin(this, it->second);
  }
  if (candidate.only_exact_repeat) drop_old_repeats(candidate.key.region);
  if (entries_.contains(candidate.key) || !make_room(bytes)) {
    why_not =
        bytes > budget_bytes_
            ? fmt::format("{} bytes are more than the budget of {}", bytes, budget_bytes_)
            : fmt::format("no room for {} bytes: {} of {} are in use by this or other requests",
                          bytes, stats_.bytes, budget_bytes_);
    return {};
  }
  auto entry = std::make_shared<Entry>();
  entry->key = std::move(candidate.key);
  entry->outputs = std::move(candidate.outputs);
  entry->bytes = bytes;
  entry->cost_us = candidate.cost_us;
  entry->only_exact_repeat = candidate.only_exact_repeat;
  entry->id = next_id_++;
  entry->pins = 1;
  stats_.bytes += bytes;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.bytes);
  entries_.emplace(entry->key, entry);
  by_order_.emplace(order_of(*entry), entry);
  renew(entry);
  return Pin(this, entry);
}

void RetainedCache::clear() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Entry>> all;
  for (const auto& [key, entry] : entries_) all.push_back(entry);
  for (const auto& entry : all) {
    if (entry->pins > 0) {
      entry->doomed = true;
    } else {
      remove(entry);
    }
  }
}

CacheStats RetainedCache::stats() const {
  const std::lock_guard lock(mutex_);
  CacheStats out = stats_;
  out.entries = entries_.size();
  return out;
}

bool RetainedCache::check_invariants() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [key, entry] : entries_) {
    sum += entry->bytes;
    const auto it = by_order_.find(order_of(*entry));
    if (it == by_order_.end() || it->second != entry) return false;
  }
  return sum == stats_.bytes && sum <= budget_bytes_ && by_order_.size() == entries_.size() &&
         stats_.peak_bytes <= budget_bytes_;
}

}  // namespace changeaware
