#include "archive/archive_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "archive/archive.h"
#include "archive/test_archives.h"

namespace changeaware {
namespace {

using testing::HasSubstr;

TEST(ArchiveWriter, TheSameCallsGiveTheSameBytes) {
  EXPECT_EQ(small_archive(temp_path("a.pt2")), small_archive(temp_path("b.pt2")));
}

TEST(ArchiveWriter, DataOfEveryEntryIsAligned) {
  const std::string path = temp_path("a.pt2");
  auto writer = ArchiveWriter::create(path, "top");
  ASSERT_TRUE(writer.ok());
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(
        (*writer)->add(std::string(static_cast<size_t>(i + 1), 'n'), std::string(i, 'd')).ok());
  }
  ASSERT_TRUE((*writer)->finish().ok());
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  ASSERT_EQ((*archive)->entries().size(), 200u);
  for (const ArchiveEntry& entry : (*archive)->entries())
    EXPECT_EQ(entry.offset % 64, 0u) << entry.name;
}

TEST(ArchiveWriter, AnArchiveInMemoryHasTheBytesOfAFile) {
  auto writer = ArchiveWriter::create_in_memory("top");
  ASSERT_TRUE(writer.ok());
  const std::vector<float> numbers = {1, 2, 3, 4, 5};
  ASSERT_TRUE((*writer)->add("models/model.json", "{\"a\": 1}").ok());
  ASSERT_TRUE((*writer)->add("data/weight_0", std::as_bytes(std::span(numbers))).ok());
  ASSERT_TRUE((*writer)->add("data/empty", "").ok());
  const auto bytes = (*writer)->take();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  EXPECT_EQ(*bytes, small_archive(temp_path("a.pt2")));
}

TEST(ArchiveWriter, ADuplicateNameIsRefused) {
  auto writer = ArchiveWriter::create(temp_path("a.pt2"), "top");
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->add("x", "1").ok());
  const Status status = (*writer)->add("x", "2");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("entry x"));
}

TEST(ArchiveWriter, AnAbandonedWriterLeavesTheOldFileAndNothingElse) {
  const std::string folder = temp_path("folder");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/a.pt2";
  write_file(path, "old");
  {
    auto writer = ArchiveWriter::create(path, "top");
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->add("x", std::string(100000, 'x')).ok());
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(ArchiveWriter, FinishReplacesTheOldFile) {
  const std::string path = temp_path("a.pt2");
  write_file(path, "old");
  small_archive(path);
  EXPECT_TRUE(Archive::open(path).ok());
}

TEST(ArchiveWriter, AFolderThatDoesNotExistIsAnIoErrorNamingThePath) {
  const auto writer = ArchiveWriter::create("/nowhere/a.pt2", "top");
  EXPECT_EQ(writer.status().code(), StatusCode::kIo);
  EXPECT_THAT(writer.status().message(), HasSubstr("/nowhere/a.pt2"));
}

TEST(ArchiveWriter, NothingCanBeAddedAfterFinish) {
  auto writer = ArchiveWriter::create(temp_path("a.pt2"), "top");
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->add("x", "1").ok());
  ASSERT_TRUE((*writer)->finish().ok());
  EXPECT_EQ((*writer)->add("y", "1").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*writer)->finish().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace changeaware
