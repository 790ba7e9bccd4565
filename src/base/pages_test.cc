#include "base/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace changeaware {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

std::byte* at(size_t address) { return reinterpret_cast<std::byte*>(address); }

TEST(Pages, OnlyWholePagesAreMeant) {
  const size_t base = 16 * kPage;
  const PageRange inside = whole_pages(at(base + 1), 3 * kPage);
  EXPECT_EQ(inside.begin, at(base + kPage));
  EXPECT_EQ(inside.end, at(base + 3 * kPage));
  EXPECT_EQ(whole_pages(at(base), 2 * kPage).bytes(), 2 * kPage);
  EXPECT_TRUE(whole_pages(at(base + 1), kPage).empty());
  EXPECT_TRUE(whole_pages(at(base), kPage - 1).empty());
  EXPECT_TRUE(whole_pages(at(base), 0).empty());
}

TEST(Pages, DroppedPagesOfAFileComeBackWhenTheyAreRead) {
  std::string name = ::testing::TempDir() + "pages_XXXXXX";
  const int file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  const std::string text(3 * kPage, 'x');
  ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  void* memory = mmap(nullptr, text.size(), PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto bytes = static_cast<const char*>(memory);
  EXPECT_EQ(std::string(bytes, text.size()), text);
  drop_pages(whole_pages(bytes, text.size()));
  drop_pages({});
  EXPECT_EQ(std::string(bytes, text.size()), text);
  munmap(memory, text.size());
  close(file);
  unlink(name.c_str());
}

}  // namespace
}  // namespace changeaware
