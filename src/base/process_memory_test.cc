#include "base/process_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace changeaware {
namespace {

constexpr size_t kBytes = size_t{64} << 20;
constexpr size_t kSlack = size_t{8} << 20;

TEST(ProcessMemory, TouchedAnonymousMemoryIsCountedAndComesBack) {
  const auto before = process_memory();
  ASSERT_TRUE(before.ok()) << before.status().to_string();
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  const auto during = process_memory();
  munmap(memory, kBytes);
  const auto after = process_memory();
  ASSERT_TRUE(during.ok() && after.ok());
  EXPECT_GE(during->anonymous_bytes, before->anonymous_bytes + kBytes - kSlack);
  EXPECT_LE(during->anonymous_bytes, before->anonymous_bytes + kBytes + kSlack);
  EXPECT_LE(after->anonymous_bytes, before->anonymous_bytes + kSlack);
  EXPECT_GE(*peak_resident_bytes(), during->anonymous_bytes);
}

TEST(ProcessMemory, PagesOfAMappedFileAreFileBacked) {
  std::string name = ::testing::TempDir() + "process_memory_XXXXXX";
  const int file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  const std::string block(1 << 20, 'x');
  for (size_t i = 0; i < kBytes / block.size(); ++i) {
    ASSERT_EQ(write(file, block.data(), block.size()), static_cast<ssize_t>(block.size()));
  }
  const auto before = process_memory();
  void* memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  size_t sum = 0;
  for (size_t i = 0; i < kBytes; i += 512) sum += static_cast<const unsigned char*>(memory)[i];
  const auto during = process_memory();
  munmap(memory, kBytes);
  close(file);
  unlink(name.c_str());
  ASSERT_TRUE(before.ok() && during.ok());
  EXPECT_EQ(sum, kBytes / 512 * 'x');
  EXPECT_GE(during->file_backed_bytes, before->file_backed_bytes + kBytes - kSlack);
  EXPECT_LE(during->anonymous_bytes, before->anonymous_bytes + kSlack);
}

}  // namespace
}  // namespace changeaware
