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
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;  // a sanitizer's own memory would count as a callable's
#else
  const auto memory = process_memory();
  return memory.ok() ? memory->anonymous_bytes : 0;
#endif
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
  Status status = account_->finish_load(*this);
  if (status.ok()) account_ = nullptr;
  return status;
}

uint64_t ResidentAccount::to_reserve(const Item& item, const LoadEstimate& estimate,
                                     uint64_t budget_bytes) {
  const uint64_t estimated = std::max(estimate.loading_bytes, estimate.resident_bytes);
  if (item.found_bytes <= estimated) return estimated;
  return estimated <= budget_bytes ? std::min(item.found_bytes, budget_bytes) : item.found_bytes;
}

uint64_t ResidentAccount::expected_bytes(size_t callable, const LoadEstimate& estimate,
                                         uint64_t budget_bytes) const {
  const std::lock_guard lock(mutex_);
  return to_reserve(items_[callable], estimate, budget_bytes);
}

// A place in line, from the end of it until destroyed. REQUIRES: the mutex is held at both.
class ResidentAccount::Place {
 public:
  Place(ResidentAccount& account, size_t callable)
      : account_(account), at_(account.line_.insert(account.line_.end(), Waiter{callable})) {}
  ~Place() {
    account_.line_.erase(at_);
    if (!account_.line_.empty()) account_.changed_.notify_all();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool is_next() const { return account_.is_next(at_); }

 private:
  ResidentAccount& account_;
  const Line::iterator at_;
};

// Nobody before `place` could go on, were there room.
bool ResidentAccount::is_next(Line::const_iterator place) const {
  return std::all_of(line_.begin(), place, [&](const Waiter& waiter) {
    const State state = items_[waiter.callable].state;
    return state == State::kLoading || state == State::kReleasing;
  });
}

Result<std::optional<ResidentAccount::Load>> ResidentAccount::acquire(
    size_t callable, LoadEstimate estimate, uint64_t budget_bytes,
    const Cancellation& cancellation) {
  return acquire_within(callable, std::move(estimate), budget_bytes, &cancellation);
}

Result<std::optional<ResidentAccount::Load>> ResidentAccount::try_acquire(size_t callable,
                                                                          LoadEstimate estimate,
                                                                          uint64_t budget_bytes) {
  return acquire_within(callable, std::move(estimate), budget_bytes, nullptr);
}

// `patience`: null = does not wait.
Result<std::optional<ResidentAccount::Load>> ResidentAccount::acquire_within(
    size_t callable, LoadEstimate estimate, uint64_t budget_bytes, const Cancellation* patience) {
  CA_ASSIGN_OR_RETURN(auto load,
                      pin_or_reserve(callable, std::move(estimate), budget_bytes, patience));
  if (load && load->activity_ != 0) load->before_bytes_ = measure_();
  return std::optional<Load>(std::move(load));
}

Result<std::optional<ResidentAccount::Load>> ResidentAccount::pin_or_reserve(
    size_t callable, LoadEstimate estimate, uint64_t budget_bytes, const Cancellation* patience) {
  std::unique_lock lock(mutex_);
  Item& item = items_[callable];
  const auto needed = [&] { return to_reserve(item, estimate, budget_bytes); };
  const Place place(*this, callable);
  const auto can_go_on = [&] {
    if (item.state == State::kAbsent && needed() > budget_bytes) return true;
    if (!place.is_next()) return false;
    if (item.state != State::kAbsent) return item.state == State::kResident;
    // Nothing is released before that is enough.
    const uint64_t used = bytes_in_use(callable, true);
    return used <= budget_bytes && needed() <= budget_bytes - used;
  };
  while (true) {
    if (!can_go_on() && patience == nullptr) {
      return over_budget("callable '{}' needs {} resident bytes; {} of the budget of {} are in use",
                         estimate.name, needed(), bytes_in_use(callable, true), budget_bytes);
    }
    if (patience != nullptr && !patience->wait(changed_, lock, can_go_on)) {
      return patience->status();
    }
    if (item.state == State::kResident) {
      add_pin(item);
      return std::optional<Load>();
    }
    if (needed() > budget_bytes) {
      return over_budget("callable '{}' needs {} resident bytes, the budget is {}", estimate.name,
                         needed(), budget_bytes);
    }
    if (fits(needed(), budget_bytes)) break;
    evict_one(callable, lock);
  }
  item.state = State::kLoading;
  item.load_us = estimate.load_us;
  book(item, needed());
  Load load(this, callable, std::move(estimate), budget_bytes);
  ++activity_;
  if (pinned_ == 0 && loading_ == 0) load.activity_ = activity_;
  ++loading_;
  return std::optional<Load>(std::move(load));
}

Status ResidentAccount::finish_load(Load& load) {
  const uint64_t now = load.activity_ == 0 ? 0 : measure_();
  std::unique_lock lock(mutex_);
  Item& item = items_[load.callable_];
  const bool usable = load.activity_ == activity_ && load.before_bytes_ > 0;
  if (usable && now > load.before_bytes_) {
    item.found_bytes = std::max(item.found_bytes, now - load.before_bytes_);
  }
  const uint64_t bytes = std::max(load.estimate_.resident_bytes, item.found_bytes);
  const uint64_t reserved = item.bytes;
  if (bytes <= reserved) {
    book(item, bytes);
  } else {
    // Where it cannot be booked, others are in use: the next load of it reserves more.
    const uint64_t most = std::min(bytes, std::max(load.budget_bytes_, reserved));
    (void)book_growth(load.callable_, most - reserved, load.estimate_.name, load.budget_bytes_,
                      lock);
  }
  --loading_;
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
  --pinned_;
  if (--items_[callable].pins == 0 && !line_.empty()) changed_.notify_all();
}

Status ResidentAccount::recalibrate(size_t callable, uint64_t bytes, uint64_t budget_bytes) {
  std::unique_lock lock(mutex_);
  Item& item = items_[callable];
  item.found_bytes = std::max(item.found_bytes, bytes);
  if (item.state != State::kResident || bytes <= item.bytes) return {};
  return book_growth(callable, bytes - item.bytes, std::to_string(callable), budget_bytes, lock);
}

void ResidentAccount::release_unpinned() {
  std::unique_lock lock(mutex_);
  while (evict_one(items_.size(), lock)) {
  }
}

// What stays whatever is evicted: pinned, being loaded, and perhaps what is being released.
uint64_t ResidentAccount::bytes_in_use(size_t except, bool count_releasing) const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const bool stays = item.pins > 0 || item.state == State::kLoading ||
                       (count_releasing && item.state == State::kReleasing);
    if (i != except && stays) bytes += item.bytes;
  }
  return bytes;
}

bool ResidentAccount::fits(uint64_t bytes, uint64_t budget_bytes) const {
  return totals_.bytes <= budget_bytes && bytes <= budget_bytes - totals_.bytes;
}

// Books `bytes` more for a callable that is pinned or being loaded by the caller, who therefore
// must not wait for others that are: of two that grow, each would wait for the other.
Status ResidentAccount::book_growth(size_t callable, uint64_t bytes, const std::string& name,
                                    uint64_t budget_bytes, std::unique_lock<std::mutex>& lock) {
  Item& item = items_[callable];
  while (!fits(bytes, budget_bytes)) {
    const uint64_t held = item.bytes + bytes_in_use(callable, false);
    if (held > budget_bytes || bytes > budget_bytes - held) {
      return over_budget(
          "callable '{}' needs {} resident bytes more; {} of the budget of {} are held by "
          "callables that are in use",
          name, bytes, held, budget_bytes);
    }
    // Others may be releasing what it takes; releases wait for nobody.
    if (!evict_one(callable, lock)) changed_.wait(lock);
  }
  book(item, item.bytes + bytes);
  return {};
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
  Totals totals = totals_;
  totals.waiting = line_.size();
  return totals;
}

}  // namespace changeaware
