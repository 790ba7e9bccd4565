#include "runtime/residency/resident_account.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/process_memory.h"

namespace changeaware {
namespace {

// Mapped pages that packing may have read before they are dropped again.
constexpr uint64_t kPackingPages = uint64_t{24} << 20;

}  // namespace

uint64_t loading_bytes(uint64_t resident_bytes) {
  return resident_bytes + std::min(resident_bytes, kPackingPages);
}

uint64_t ResidentAccount::anonymous_bytes() {
  const auto memory = process_memory();
  return memory.ok() ? memory->anonymous_bytes : 0;
}

ResidentAccount::ResidentAccount(size_t callables, Release release, Measure measure)
    : release_(std::move(release)), measure_(std::move(measure)), items_(callables) {}

ResidentAccount::Load::Load(Load&& other) noexcept
    : account_(std::exchange(other.account_, nullptr)),
      callable_(other.callable_),
      estimate_(std::move(other.estimate_)),
      budget_bytes_(other.budget_bytes_),
      before_bytes_(other.before_bytes_),
      activity_(other.activity_) {}

ResidentAccount::Load::~Load() {
  if (account_ != nullptr) account_->abandon(*this);
}

Status ResidentAccount::Load::finish() {
  assert(account_ != nullptr);
  return std::exchange(account_, nullptr)->finish_load(*this);
}

uint64_t ResidentAccount::expected_bytes(size_t callable, const LoadEstimate& estimate) const {
  const std::lock_guard lock(mutex_);
  return std::max({estimate.loading_bytes, estimate.resident_bytes, items_[callable].found_bytes});
}

Result<std::optional<ResidentAccount::Load>> ResidentAccount::acquire(size_t callable,
                                                                      LoadEstimate estimate,
                                                                      uint64_t budget_bytes) {
  std::unique_lock lock(mutex_);
  Item& item = items_[callable];
  changed_.wait(lock,
                [&] { return item.state == State::kResident || item.state == State::kAbsent; });
  if (item.state == State::kResident) {
    add_pin(item);
    return std::optional<Load>();
  }
  item.state = State::kLoading;
  item.load_us = estimate.load_us;
  const uint64_t bytes =
      std::max({estimate.loading_bytes, estimate.resident_bytes, item.found_bytes});
  if (Status status = book_more(callable, bytes, estimate.name, budget_bytes, lock); !status.ok()) {
    leave(item, State::kAbsent);
    return status;
  }
  Load load(this, callable, std::move(estimate), budget_bytes);
  ++activity_;
  if (pinned_ == 0 && loading_ == 0) load.activity_ = activity_;
  ++loading_;
  lock.unlock();
  load.before_bytes_ = measure_();
  return std::optional<Load>(std::move(load));
}

Status ResidentAccount::finish_load(Load& load) {
  const uint64_t now = measure_();
  std::unique_lock lock(mutex_);
  Item& item = items_[load.callable_];
  const bool usable = load.activity_ == activity_ && load.before_bytes_ > 0;
  if (usable && now > load.before_bytes_) {
    item.found_bytes = std::max(item.found_bytes, now - load.before_bytes_);
  }
  --loading_;
  const uint64_t bytes = std::max(load.estimate_.resident_bytes, item.found_bytes);
  if (bytes > item.bytes) {
    Status status = book_more(load.callable_, bytes - item.bytes, load.estimate_.name,
                              load.budget_bytes_, lock);
    if (!status.ok()) {
      book(item, 0);
      ++totals_.failed_loads;
      leave(item, State::kAbsent);
      return status;
    }
  }
  book(item, bytes);
  ++totals_.loads;
  add_pin(item);
  leave(item, State::kResident);
  return {};
}

void ResidentAccount::abandon(Load& load) {
  const std::lock_guard lock(mutex_);
  Item& item = items_[load.callable_];
  --loading_;
  ++activity_;
  book(item, 0);
  ++totals_.failed_loads;
  leave(item, State::kAbsent);
}

bool ResidentAccount::pin(size_t callable) {
  const std::lock_guard lock(mutex_);
  Item& item = items_[callable];
  if (item.state != State::kResident) return false;
  add_pin(item);
  return true;
}

void ResidentAccount::unpin(size_t callable) {
  const std::lock_guard lock(mutex_);
  assert(items_[callable].pins > 0);
  --items_[callable].pins;
  --pinned_;
}

Status ResidentAccount::recalibrate(size_t callable, uint64_t bytes, uint64_t budget_bytes) {
  std::unique_lock lock(mutex_);
  Item& item = items_[callable];
  item.found_bytes = std::max(item.found_bytes, bytes);
  if (item.state != State::kResident || bytes <= item.bytes) return {};
  return book_more(callable, bytes - item.bytes, std::to_string(callable), budget_bytes, lock);
}

void ResidentAccount::release_unpinned() {
  std::unique_lock lock(mutex_);
  while (evict_one(items_.size(), lock)) {
  }
}

// Books `bytes` more for a callable that nobody else books for, once they fit.
Status ResidentAccount::book_more(size_t callable, uint64_t bytes, const std::string& name,
                                  uint64_t budget_bytes, std::unique_lock<std::mutex>& lock) {
  while (true) {
    if (totals_.bytes <= budget_bytes && bytes <= budget_bytes - totals_.bytes) {
      book(items_[callable], items_[callable].bytes + bytes);
      return {};
    }
    // Nothing is released for what cannot fit anyway.
    uint64_t held = 0;
    bool releasing = false;
    for (size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      releasing = releasing || item.state == State::kReleasing;
      if (i == callable || item.pins > 0 || item.state == State::kLoading) held += item.bytes;
    }
    if (held > budget_bytes || bytes > budget_bytes - held) {
      return over_budget(
          "callable '{}' needs {} resident bytes more; {} of the budget of {} are held by "
          "callables that are in use",
          name, bytes, held, budget_bytes);
    }
    if (!evict_one(callable, lock) && releasing) changed_.wait(lock);
  }
}

bool ResidentAccount::evict_one(size_t keep, std::unique_lock<std::mutex>& lock) {
  size_t victim = items_.size();
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (i == keep || item.state != State::kResident || item.pins > 0) continue;
    if (victim == items_.size() || item.priority < items_[victim].priority) victim = i;
  }
  if (victim == items_.size()) return false;
  Item& item = items_[victim];
  item.state = State::kReleasing;  // its bytes count until they are really gone
  inflation_ = std::max(inflation_, item.priority);
  ++activity_;
  lock.unlock();
  release_(victim);
  lock.lock();
  ++activity_;
  book(item, 0);
  ++totals_.evictions;
  leave(item, State::kAbsent);
  return true;
}

void ResidentAccount::add_pin(Item& item) {
  ++item.pins;
  ++pinned_;
  ++activity_;
  item.priority =
      inflation_ + item.load_us / static_cast<double>(std::max<uint64_t>(item.bytes, 1));
}

void ResidentAccount::leave(Item& item, State state) {
  item.state = state;
  changed_.notify_all();
}

void ResidentAccount::book(Item& item, uint64_t bytes) {
  totals_.bytes += bytes - item.bytes;
  item.bytes = bytes;
  totals_.peak_bytes = std::max(totals_.peak_bytes, totals_.bytes);
}

bool ResidentAccount::is_resident(size_t callable) const {
  const std::lock_guard lock(mutex_);
  return items_[callable].state == State::kResident;
}

uint64_t ResidentAccount::bytes(size_t callable) const {
  const std::lock_guard lock(mutex_);
  return items_[callable].bytes;
}

ResidentAccount::Totals ResidentAccount::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace changeaware
