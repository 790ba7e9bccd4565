// Pages of mapped memory.
//
// Thread safety: pure functions; drop_pages() may be called concurrently.
// Source: madvise(2), MADV_DONTNEED.
#pragma once

#include <cstddef>

namespace changeaware {

// Bytes [begin, end), both multiples of the page size.
struct PageRange {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  bool empty() const { return begin == end; }
  size_t bytes() const { return static_cast<size_t>(end - begin); }
};

// Those that lie wholly inside; empty when there are none.
PageRange whole_pages(const void* begin, size_t bytes);

// Tells the system that these pages are not needed now. REQUIRES: they are of a private mapping of
// a file to which nothing was written: they come back from the file when they are read again.
// Failure only means that they stay.
void drop_pages(const PageRange& range);

}  // namespace changeaware
