#include "engine/openvino/page_trimmer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace changeaware::ovn {
namespace {

// A private, writable mapping of a file of zeros: what is written to it is gone once the page has
// been dropped, which shows the dropping.
class MappedZeros {
 public:
  explicit MappedZeros(size_t pages) : bytes_(pages * static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    file_ = std::tmpfile();
    EXPECT_EQ(ftruncate(fileno(file_), static_cast<off_t>(bytes_)), 0);
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file_), 0);
    EXPECT_NE(p, MAP_FAILED);
    data_ = static_cast<std::byte*>(p);
  }
  ~MappedZeros() {
    munmap(data_, bytes_);
    std::fclose(file_);
  }
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  std::FILE* file_;
  std::byte* data_;
};

Tensor bytes_of(std::byte* data, size_t bytes, bool is_file_mapping) {
  auto storage = std::make_shared<Storage>(data, bytes, nullptr, is_file_mapping);
  return *Tensor::view(DType::kUInt8, {static_cast<int64_t>(bytes)}, {1}, 0, std::move(storage));
}

TEST(PageTrimmer, OnlyWholePagesOfFileMappingsAreTaken) {
  MappedZeros zeros(4);
  const std::vector<Tensor> tensors{bytes_of(zeros.data() + 1, zeros.bytes() - 1, true)};
  const auto ranges = mapped_pages(tensors, 0);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].begin, zeros.data() + zeros.bytes() / 4);
  EXPECT_EQ(ranges[0].end, zeros.data() + zeros.bytes());
  const std::vector<Tensor> heap{bytes_of(zeros.data(), zeros.bytes(), false)};
  EXPECT_TRUE(mapped_pages(heap, 0).empty());
  EXPECT_TRUE(mapped_pages(tensors, zeros.bytes()).empty());
}

TEST(PageTrimmer, ItDropsPagesWhileItLivesAndAtItsEnd) {
  MappedZeros zeros(2);
  const std::vector<Tensor> tensors{bytes_of(zeros.data(), zeros.bytes(), true)};
  volatile auto* first = reinterpret_cast<unsigned char*>(zeros.data());
  {
    const PageTrimmer trimmer(mapped_pages(tensors, 0));
    *first = 7;
    for (int i = 0; i < 1000 && *first == 7; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(static_cast<int>(*first), 0);
    *first = 7;
  }
  EXPECT_EQ(static_cast<int>(*first), 0);
}

TEST(PageTrimmer, NothingToTrimStartsNothing) {
  MappedZeros zeros(1);
  *zeros.data() = std::byte{7};
  { const PageTrimmer trimmer({}); }
  EXPECT_EQ(std::to_integer<int>(*zeros.data()), 7);
}

}  // namespace
}  // namespace changeaware::ovn
