#include "runtime/cache/retained_cache.h"

#include <algorithm>
#include <cassert>
#include <new>

#include <fmt/format.h>

namespace changeaware {
namespace {

// What an entry without tensors (a passed assertion) counts: about its own bookkeeping.
constexpr uint64_t kEmptyEntryBytes = 256;

uint64_t count_bytes(const std::vector<Tensor>& outputs) {
  uint64_t bytes = 0;
  for (const Tensor& t : outputs) bytes += t.defined() ? t.size_bytes() : 0;
  return bytes == 0 ? kEmptyEntryBytes : bytes;
}

// Whether `held` has every output that `wanted` has.
bool covers(const std::vector<Tensor>& held, const std::vector<Tensor>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].defined() && (i >= held.size() || !held[i].defined())) return false;
  }
  return true;
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

// Without memory for it, the key is not remembered.
void RetainedCache::Evicted::add(size_t hash) noexcept {
  try {
    if (hashes_.contains(hash)) return;
    by_age_.push_back(hash);
    hashes_.insert(hash);
  } catch (const std::bad_alloc&) {
    return;
  }
  if (by_age_.size() <= kMost) return;
  hashes_.erase(by_age_.front());
  by_age_.pop_front();
}

RetainedCache::Order RetainedCache::order_of(const Entry& e) const {
  return {!e.only_exact_repeat, e.priority, e.id};
}

// REQUIRES (as all private methods): mutex_ is held, except unpin().
void RetainedCache::renew(const std::shared_ptr<Entry>& e) {
  auto place = by_order_.extract(order_of(*e));  // used again: needs no memory
  count_use(*e);
  place.key() = order_of(*e);
  by_order_.insert(std::move(place));
}

void RetainedCache::count_use(Entry& e) {
  ++e.uses;
  e.priority = inflation_ + static_cast<double>(e.uses) * e.cost_us / static_cast<double>(e.bytes);
  e.id = next_id_++;
}

// Enters a new entry everywhere, or nowhere when memory runs out.
void RetainedCache::enter(const std::shared_ptr<Entry>& e) {
  count_use(*e);
  const auto place = by_order_.emplace(order_of(*e), e).first;
  try {
    by_key_.emplace(e->keys.front(), e);
  } catch (...) {
    by_order_.erase(place);
    throw;
  }
  stats_.bytes += e->bytes;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.bytes);
}

void RetainedCache::remove(const std::shared_ptr<Entry>& e) {
  by_order_.erase(order_of(*e));
  for (const Key& key : e->keys) by_key_.erase(key);
  stats_.bytes -= e->bytes;
}

void RetainedCache::evict(const std::shared_ptr<Entry>& e) {
  inflation_ = std::max(inflation_, e->priority);
  for (const Key& key : e->keys) evicted_.add(KeyHash()(key));
  ++stats_.evictions;
  remove(e);
}

bool RetainedCache::make_room(uint64_t bytes) {
  if (bytes > budget_bytes_) return false;
  // First see whether what may go is enough, so that nothing is evicted in vain.
  uint64_t evictable = 0;
  std::vector<std::shared_ptr<Entry>> victims;
  const auto enough = [&] {
    return stats_.bytes - evictable + bytes <= budget_bytes_ &&
           by_order_.size() - victims.size() < kMostEntries;
  };
  for (auto it = by_order_.begin(); it != by_order_.end() && !enough(); ++it) {
    if (it->second->pins > 0) continue;
    evictable += it->second->bytes;
    victims.push_back(it->second);
  }
  if (!enough()) return false;
  for (const auto& victim : victims) evict(victim);
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
    if (entry->region == region && entry->pins == 0) repeats.push_back(entry);
  }
  if (repeats.size() < kMostRepeats) return;
  evict(*std::min_element(repeats.begin(), repeats.end(),
                          [](const auto& a, const auto& b) { return a->id < b->id; }));
}

RetainedCache::Found RetainedCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return {{}, evicted_.contains(KeyHash()(key))};
  if (it->second->doomed) return {};
  ++it->second->pins;
  return {Pin(this, it->second), false};
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

void RetainedCache::add_key(const Pin& pin, const Key& key) {
  const std::lock_guard lock(mutex_);
  Entry& entry = *pin.entry_;
  if (by_key_.contains(key)) return;
  entry.keys.push_back(key);
  try {
    by_key_.emplace(key, pin.entry_);
  } catch (...) {
    entry.keys.pop_back();
    throw;
  }
  if (entry.keys.size() <= kMostKeys) return;
  by_key_.erase(entry.keys.front());
  entry.keys.pop_front();
}

std::vector<std::string> RetainedCache::prints(const Pin& pin) const {
  const std::lock_guard lock(mutex_);
  return pin.entry_->prints;
}

void RetainedCache::set_prints(const Pin& pin, std::vector<std::string> prints) {
  const std::lock_guard lock(mutex_);
  pin.entry_->prints = std::move(prints);
}

// Takes what only `old` holds into the candidate and removes `old`. False when somebody reads it.
bool RetainedCache::merge_with(const std::shared_ptr<Entry>& old, Candidate& candidate) {
  if (old->pins > 0) return false;
  candidate.outputs.resize(std::max(candidate.outputs.size(), old->outputs.size()));
  for (size_t i = 0; i < old->outputs.size(); ++i) {
    if (!candidate.outputs[i].defined()) candidate.outputs[i] = old->outputs[i];
  }
  remove(old);
  return true;
}

RetainedCache::Pin RetainedCache::store(Candidate candidate, std::string& why_not) {
  const std::lock_guard lock(mutex_);
  if (const auto it = by_key_.find(candidate.key); it != by_key_.end()) {
    const std::shared_ptr<Entry> old = it->second;
    if (!old->doomed && covers(old->outputs, candidate.outputs)) {
      ++old->pins;
      return Pin(this, old);
    }
    if (!merge_with(old, candidate)) {
      why_not = "another request is reading an older entry of the same contents";
      return {};
    }
  }
  const uint64_t bytes = count_bytes(candidate.outputs);
  if (candidate.only_exact_repeat) drop_old_repeats(candidate.key.region);
  if (!make_room(bytes)) {
    why_not =
        bytes > budget_bytes_
            ? fmt::format("{} bytes are more than the budget of {}", bytes, budget_bytes_)
            : fmt::format("no room for {} bytes: {} of {} are in use by this or other requests",
                          bytes, stats_.bytes, budget_bytes_);
    return {};
  }
  auto entry = std::make_shared<Entry>();
  entry->region = candidate.key.region;
  entry->keys.push_back(std::move(candidate.key));
  entry->outputs = std::move(candidate.outputs);
  entry->prints = std::move(candidate.prints);
  entry->bytes = bytes;
  entry->cost_us = candidate.cost_us;
  entry->only_exact_repeat = candidate.only_exact_repeat;
  entry->pins = 1;
  enter(entry);
  return Pin(this, entry);
}

void RetainedCache::forget(const Pin& pin) {
  const std::lock_guard lock(mutex_);
  pin.entry_->doomed = true;
}

void RetainedCache::clear() {
  const std::lock_guard lock(mutex_);
  for (auto it = by_order_.begin(); it != by_order_.end();) {
    const std::shared_ptr<Entry> entry = (it++)->second;
    if (entry->pins > 0) {
      entry->doomed = true;
    } else {
      remove(entry);
    }
  }
}

void RetainedCache::set_budget(uint64_t budget_bytes) {
  const std::lock_guard lock(mutex_);
  budget_bytes_ = budget_bytes;
  uint64_t left = stats_.bytes;
  for (auto it = by_order_.begin(); it != by_order_.end() && left > budget_bytes;) {
    const std::shared_ptr<Entry> victim = (it++)->second;
    left -= victim->bytes;
    if (victim->pins > 0) {
      victim->doomed = true;
    } else {
      evict(victim);
    }
  }
}

uint64_t RetainedCache::budget_bytes() const {
  const std::lock_guard lock(mutex_);
  return budget_bytes_;
}

CacheStats RetainedCache::stats() const {
  const std::lock_guard lock(mutex_);
  CacheStats out = stats_;
  out.entries = by_order_.size();
  return out;
}

std::vector<RetainedCache::Listed> RetainedCache::largest(size_t most) const {
  std::vector<Listed> out;
  {
    const std::lock_guard lock(mutex_);
    out.reserve(by_order_.size());
    for (const auto& [order, entry] : by_order_)
      out.push_back({entry->region, KeyHash()(entry->keys.front()), entry->bytes, entry->uses});
  }
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(most, out.size()));
  std::partial_sort(out.begin(), end, out.end(), [](const Listed& a, const Listed& b) {
    return std::tuple(b.bytes, a.region, a.version) < std::tuple(a.bytes, b.region, b.version);
  });
  out.erase(end, out.end());
  return out;
}

bool RetainedCache::check_invariants() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  size_t keys = 0;
  uint64_t on_their_way_out = 0;
  for (const auto& [order, entry] : by_order_) {
    sum += entry->bytes;
    keys += entry->keys.size();
    if (entry->doomed) on_their_way_out += entry->bytes;
    if (order != order_of(*entry)) return false;
    for (const Key& key : entry->keys) {
      const auto it = by_key_.find(key);
      if (it == by_key_.end() || it->second != entry || key.region != entry->region) return false;
    }
  }
  return sum == stats_.bytes && keys == by_key_.size() && sum - on_their_way_out <= budget_bytes_ &&
         stats_.bytes <= stats_.peak_bytes;
}

}  // namespace changeaware
