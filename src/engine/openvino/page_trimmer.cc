#include "engine/openvino/page_trimmer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace changeaware::ovn {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

std::byte* align_down(std::byte* p, uintptr_t page) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(p) & ~(page - 1));
}

}  // namespace

std::vector<PageRange> mapped_pages(std::span<const Tensor> tensors, size_t minimum_bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<PageRange> ranges;
  size_t total = 0;
  for (const Tensor& t : tensors) {
    if (!t.defined() || !t.storage()->is_file_mapping()) continue;
    // The whole storage: a strided tensor may lie anywhere in it.
    std::byte* begin = align_down(t.storage()->data() + page - 1, page);
    std::byte* end = align_down(t.storage()->data() + t.storage()->bytes(), page);
    if (end <= begin) continue;
    ranges.push_back({begin, end});
    total += static_cast<size_t>(end - begin);
  }
  if (total < minimum_bytes) ranges.clear();
  return ranges;
}

void drop_pages(std::span<const PageRange> ranges) {
  for (const PageRange& r : ranges) {
    // Failure only means that the pages stay.
    (void)madvise(r.begin, static_cast<size_t>(r.end - r.begin), MADV_DONTNEED);
  }
}

PageTrimmer::PageTrimmer(std::vector<PageRange> ranges) : ranges_(std::move(ranges)) {
  if (!ranges_.empty()) thread_ = std::thread([this] { trim_until_stopped(); });
}

PageTrimmer::~PageTrimmer() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_signal_.notify_one();
  thread_.join();
  drop_pages(ranges_);
}

void PageTrimmer::trim_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stop_signal_.wait_for(lock, kInterval, [this] { return stopped_; })) {
    drop_pages(ranges_);
  }
}

}  // namespace changeaware::ovn
