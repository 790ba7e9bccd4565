#include "engine/openvino/page_trimmer.h"

#include <chrono>
#include <utility>

namespace changeaware::ovn {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

}  // namespace

std::vector<PageRange> mapped_pages(std::span<const Tensor> tensors, size_t minimum_bytes) {
  std::vector<PageRange> ranges;
  size_t total = 0;
  for (const Tensor& t : tensors) {
    if (!t.defined() || !t.storage()->is_file_mapping()) continue;
    // The whole storage: a strided tensor may lie anywhere in it.
    const PageRange pages = whole_pages(t.storage()->data(), t.storage()->bytes());
    if (pages.empty()) continue;
    ranges.push_back(pages);
    total += pages.bytes();
  }
  if (total < minimum_bytes) ranges.clear();
  return ranges;
}

void drop_pages(std::span<const PageRange> ranges) {
  for (const PageRange& range : ranges) changeaware::drop_pages(range);
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
