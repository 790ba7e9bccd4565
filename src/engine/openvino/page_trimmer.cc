#include "engine/openvino/page_trimmer.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace changeaware::ovn {
namespace {

constexpr std::chrono::milliseconds kInterval{5};
// Smaller weights wait for the end.
constexpr size_t kLeastWatchedBytes = size_t{16} << 10;

// Which pages this process has in memory. Where the system does not say, all of them.
class PresentPages {
 public:
  PresentPages() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~PresentPages() {
    if (file_ >= 0) close(file_);
  }
  PresentPages(const PresentPages&) = delete;
  PresentPages& operator=(const PresentPages&) = delete;

  // By its first and last page: what is read is read from one end to the other.
  bool hold(const PageRange& range) const {
    return holds(range.begin) && holds(range.end - page_bytes_);
  }

 private:
  bool holds(const std::byte* page) const {
    uint64_t entry = 0;
    const auto number = reinterpret_cast<uintptr_t>(page) / page_bytes_;
    const auto at = static_cast<off_t>(number * sizeof entry);
    if (pread(file_, &entry, sizeof entry, at) != sizeof entry) return true;
    return (entry >> 63) != 0;
  }

  const int file_;
  const size_t page_bytes_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
};

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

PageTrimmer::PageTrimmer(std::vector<PageRange> ranges, PageRange all)
    : ranges_(std::move(ranges)), all_(all) {
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
  if (!all_.empty()) changeaware::drop_pages(all_);
}

void PageTrimmer::trim_until_stopped() {
  struct Watched {
    PageRange range;
    bool was_read = false;
  };
  std::vector<Watched> watched;
  for (const PageRange& range : ranges_) {
    if (range.bytes() >= kLeastWatchedBytes) watched.push_back({range});
  }
  const PresentPages present;
  std::unique_lock lock(mutex_);
  while (!stop_signal_.wait_for(lock, kInterval, [this] { return stopped_; })) {
    for (Watched& weight : watched) {
      const bool is_read = present.hold(weight.range);
      if (is_read && weight.was_read) changeaware::drop_pages(weight.range);
      weight.was_read = is_read && !weight.was_read;
    }
  }
}

}  // namespace changeaware::ovn
