#include "runtime/preload.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "runtime/boundary.h"

namespace changeaware {

Preload::Preload(ExecutableStore& executables, std::vector<size_t> callables, uint64_t budget_bytes,
                 Room room)
    : executables_(executables),
      callables_(std::move(callables)),
      budget_bytes_(budget_bytes),
      room_(room) {
  if (callables_.empty() || !executables.fit(callables_, budget_bytes)) return;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  try {
    while (threads_.size() < std::min(cores, callables_.size()))
      threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {
    // No more threads: those there are do the work, or whoever runs the callable.
  }
}

void Preload::work() {
  for (size_t i = next_++; i < callables_.size(); i = next_++) {
    Status status = no_exceptions([&] { return load(callables_[i]); });
    if (status.ok()) continue;
    const std::lock_guard lock(mutex_);
    if (first_error_.ok()) first_error_ = std::move(status);
  }
}

Status Preload::load(size_t callable) {
  if (room_ == Room::kThereIs) return executables_.load_ahead(callable, budget_bytes_);
  return executables_.get(callable, budget_bytes_, {}).status();
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
