// PageTrimmer: keeps the memory-mapped weights from being resident while they are being packed.
//
// The engine copies most weights into memory of its own when it compiles. The pages of the mapped
// file that it read for that are then of no use, but stay resident until somebody drops them; with
// them the peak is twice the weights. A trimmer drops them every few milliseconds during its life
// and once more at its end. Dropped pages come back from the file when they are read again, so this
// is only done to storage that says it is a private, read-only mapping of a file.
// Thread safety: confined to the thread that makes it; the trimming thread is its own.
// Source: madvise(2), MADV_DONTNEED.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/pages.h"
#include "changeaware/tensor.h"

namespace changeaware::ovn {

// The whole pages inside the mapped tensors of `tensors`; empty when they are less than
// `minimum_bytes` together. Tensors in memory that is no file mapping are left out.
std::vector<PageRange> mapped_pages(std::span<const Tensor> tensors, size_t minimum_bytes);
void drop_pages(std::span<const PageRange> ranges);

class PageTrimmer {
 public:
  // Starts trimming; no thread is started when there are no ranges.
  explicit PageTrimmer(std::vector<PageRange> ranges);
  ~PageTrimmer();
  PageTrimmer(const PageTrimmer&) = delete;
  PageTrimmer& operator=(const PageTrimmer&) = delete;

 private:
  void trim_until_stopped();

  std::vector<PageRange> ranges_;
  std::mutex mutex_;
  std::condition_variable stop_signal_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace changeaware::ovn
