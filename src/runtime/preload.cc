#include "runtime/preload.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace changeaware {

Preload::Preload(ExecutableStore& executables, std::vector<size_t> callables, uint64_t budget_bytes)
    : executables_(executables), callables_(std::move(callables)), budget_bytes_(budget_bytes) {
  if (callables_.empty() || !executables.fit(callables_, budget_bytes)) return;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  try {
    while (threads_.size() < std::min(cores, callables_.size()))
      threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads: those there are do the work, or whoever runs the callable.
  }
}

void Preload::work() {
  for (size_t i = next_++; i < callables_.size(); i = next_++) {
    const auto loaded = executables_.get(callables_[i], budget_bytes_);
    if (loaded.ok()) continue;
    const std::lock_guard lock(mutex_);
    if (first_error_.ok()) first_error_ = loaded.status();
  }
}

void Preload::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

Status Preload::wait() {
  join();
  const std::lock_guard lock(mutex_);
  return first_error_;
}

}  // namespace changeaware
