#include "runtime/tagged_values.h"

#include "runtime/versions.h"

namespace changeaware {

Status TaggedValues::check(const std::string& input, const InputState& state) {
  Key key(input, state.version);
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
  }
  const Status status = check_values(input, state.tensor);
  const std::lock_guard lock(mutex_);
  if (!known_.emplace(key, status).second) return status;
  by_age_.push_back(std::move(key));
  if (by_age_.size() > kMost) {
    known_.erase(by_age_.front());
    by_age_.pop_front();
  }
  return status;
}

}  // namespace changeaware
