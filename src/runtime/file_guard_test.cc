#include "runtime/file_guard.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace changeaware {
namespace {

namespace fs = std::filesystem;

class FileGuards : public ::testing::Test {
 protected:
  FileGuards() : path(::testing::TempDir() + "file_guard_test") { write(path, "weights"); }
  ~FileGuards() override { fs::remove(path); }
  static void write(const std::string& to, const std::string& text) {
    std::ofstream(to, std::ios::binary) << text;
  }
  std::string path;
};

TEST_F(FileGuards, AFileThatStaysIsFine) {
  const FileGuard guard(path);
  EXPECT_TRUE(guard.check().ok());
}

TEST_F(FileGuards, ATruncatedFileIsNamed) {
  const FileGuard guard(path);
  fs::resize_file(path, 3);
  const Status status = guard.check();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("7 bytes then, 3 now"), std::string::npos) << status.message();
}

TEST_F(FileGuards, OtherContentsOfTheSameSizeAreNoticed) {
  const FileGuard guard(path);
  write(path, "WEIGHTS");
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_EQ(guard.check().code(), StatusCode::kCorrupt);
}

TEST_F(FileGuards, AnotherFileInItsPlaceOrNoneIsFine) {
  const FileGuard guard(path);
  write(path + ".new", "more weights");
  fs::rename(path + ".new", path);
  EXPECT_TRUE(guard.check().ok()) << "the old one is still mapped";
  fs::remove(path);
  EXPECT_TRUE(guard.check().ok());
}

}  // namespace
}  // namespace changeaware
