#include "runtime/prints_in_use.h"

#include <algorithm>

namespace changeaware {
namespace {

// Less is read faster than it is looked up.
constexpr size_t kLeastBytes = 64 * 1024;

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

}  // namespace

Result<Fingerprint> PrintsInUse::get(size_t input, const Tensor& tensor, const Compute& compute,
                                     Use& use) {
  if (tensor.size_bytes() < kLeastBytes) return compute();
  std::unique_lock lock(mutex_);
  auto entry = find(input, tensor);
  if (entry == entries_.end()) entry = entries_.insert(entry, {.input = input, .tensor = tensor});
  ++entry->uses;
  use = Use(this, entry);
  done_.wait(lock, [&] { return !entry->is_busy; });
  if (entry->print) return *entry->print;
  entry->is_busy = true;
  lock.unlock();
  struct Done {
    ~Done() {
      const std::lock_guard again(owner.mutex_);
      entry->is_busy = false;
      owner.done_.notify_all();
    }
    PrintsInUse& owner;
    std::list<Entry>::iterator entry;
  } done{*this, entry};
  CA_ASSIGN_OR_RETURN(Fingerprint print, compute());
  entry->print = print;  // nobody else looks while it is busy
  return print;
}

size_t PrintsInUse::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::list<PrintsInUse::Entry>::iterator PrintsInUse::find(size_t input, const Tensor& tensor) {
  return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.input == input && is_same_memory(entry.tensor, tensor);
  });
}

void PrintsInUse::leave(std::list<Entry>::iterator entry) {
  const std::lock_guard lock(mutex_);
  if (--entry->uses == 0) entries_.erase(entry);
}

}  // namespace changeaware
