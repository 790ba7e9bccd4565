#include "base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace changeaware {

PageRange whole_pages(const void* begin, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + page - 1) / page * page;
  const uintptr_t last = (address + bytes) / page * page;
  if (last <= first) return {};
  return {reinterpret_cast<std::byte*>(first), reinterpret_cast<std::byte*>(last)};
}

void drop_pages(const PageRange& range) {
  if (!range.empty()) (void)madvise(range.begin, range.bytes(), MADV_DONTNEED);
}

}  // namespace changeaware
