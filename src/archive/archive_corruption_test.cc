#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "archive/test_archives.h"

namespace changeaware {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Reads everything that can be read of `bytes`, as if they were the file at `path`.
Status read_all(const std::string& path, const std::string& bytes) {
  const auto memory = std::as_bytes(std::span(bytes.data(), bytes.size()));
  CA_ASSIGN_OR_RETURN(const auto archive, Archive::open_memory(path, memory, nullptr));
  for (const ArchiveEntry& entry : archive->entries()) {
    CA_RETURN_IF_ERROR(archive->check_crc(entry));
    CA_RETURN_IF_ERROR(archive->read_text(entry.name).status());
  }
  return {};
}

Status expect_corrupt(const std::string& path, const std::string& bytes) {
  const Status status = read_all(path, bytes);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.to_string();
  EXPECT_THAT(status.message(), HasSubstr(path));
  return status;
}

TEST(ArchiveCorruption, ATruncatedFileIsCorruptAtEveryLength) {
  const std::string path = temp_path("a.pt2");
  const std::string bytes = small_archive(path);
  for (size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    (void)expect_corrupt(path, bytes.substr(0, length));
  }
}

TEST(ArchiveCorruption, AFileThatIsNoZipIsCorrupt) {
  const std::string path = temp_path("a.pt2");
  (void)expect_corrupt(path, "");
  (void)expect_corrupt(path, "hello");
  (void)expect_corrupt(path, std::string(100000, 'P'));
}

TEST(ArchiveCorruption, ATruncatedOrEmptyFileOnDiskIsCorrupt) {
  const std::string path = temp_path("a.pt2");
  const std::string bytes = small_archive(path);
  for (const size_t length : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    write_file(path, bytes.substr(0, length));
    const auto archive = Archive::open(path);
    EXPECT_EQ(archive.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(archive.status().message(), HasSubstr(path));
  }
}

TEST(ArchiveCorruption, EveryFlippedBitIsFoundOrHarmless) {
  const std::string path = temp_path("a.pt2");
  const std::string bytes = small_archive(path);
  int found = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const Status status = read_all(path, flipped);
    if (status.ok()) continue;
    ++found;
    EXPECT_THAT(status.message(), HasSubstr(path)) << at;
  }
  // Most of the file is headers, names, sizes and payload; padding and time stamps are harmless.
  EXPECT_GT(found, static_cast<int>(bytes.size()) / 4);
}

TEST(ArchiveCorruption, AFlippedPayloadBitIsFoundByItsCrc) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  bytes[(*archive)->find("data/weight_0")->offset + 3] ^= 1;
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("data/weight_0"), HasSubstr("CRC")));
}

TEST(ArchiveCorruption, AnEntryThatPointsOutsideTheFileIsNamed) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t record = find_nth(bytes, kDirectoryMagic, 1);
  bytes[record + 45] = 0x40;  // high byte of the local header offset
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), HasSubstr("data/weight_0"));
}

TEST(ArchiveCorruption, AnEntryLargerThanTheFileIsNamed) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t local = find_nth(bytes, kLocalMagic, 1);
  const size_t record = find_nth(bytes, kDirectoryMagic, 1);
  for (const size_t at : {local + 18, local + 22, record + 20, record + 24}) bytes[at + 2] = 0x7f;
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("data/weight_0"), HasSubstr("outside")));
}

TEST(ArchiveCorruption, OverlappingEntriesAreNamed) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t local = find_nth(bytes, kLocalMagic, 1);
  const size_t record = find_nth(bytes, kDirectoryMagic, 1);
  for (const size_t at : {local + 18, local + 22, record + 20, record + 24}) bytes[at] = 100;
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("data/weight_0"), HasSubstr("overlaps")));
}

TEST(ArchiveCorruption, ASizeThatDiffersFromTheLocalHeaderIsNamed) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t record = find_nth(bytes, kDirectoryMagic, 1);
  bytes[record + 20] = 16;
  bytes[record + 24] = 16;
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), HasSubstr("data/weight_0"));
}

TEST(ArchiveCorruption, ANameThatDiffersFromTheLocalHeaderIsNamed) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t record = find_nth(bytes, kDirectoryMagic, 1);
  bytes[record + 46 + 4] = 'D';
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("Data/weight_0"), HasSubstr("name")));
}

TEST(ArchiveCorruption, ANameThatIsThereTwiceIsNamed) {
  const std::string path = temp_path("a.pt2");
  write_plain(path, {{"top/a", "1", false}, {"top/a", "2", false}});
  const Status status = expect_corrupt(path, read_file(path));
  EXPECT_THAT(status.message(), AllOf(HasSubstr("top/a"), HasSubstr("twice")));
}

TEST(ArchiveCorruption, ADirectoryThatListsFewerEntriesIsCorrupt) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  const size_t end = find_nth(bytes, kEndMagic, 0);
  bytes[end + 8] = 2;
  bytes[end + 10] = 2;
  const Status status = expect_corrupt(path, bytes);
  EXPECT_THAT(status.message(), HasSubstr("directory"));
}

TEST(ArchiveCorruption, ADamagedDeflatedEntryIsNamedOrStillTheSame) {
  const std::string path = temp_path("a.pt2");
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i * i);
  write_plain(path, {{"top/a", text, true}});
  const std::string bytes = read_file(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const ArchiveEntry entry = *(*archive)->find("a");
  uint64_t found = 0;
  for (uint64_t at = 0; at < entry.stored_size; ++at) {
    std::string flipped = bytes;
    flipped[entry.offset + at] ^= 0x10;
    write_file(path, flipped);
    const auto damaged = Archive::open(path);
    ASSERT_TRUE(damaged.ok());
    const auto read = (*damaged)->read_text("a");
    if (read.ok()) {
      EXPECT_EQ(*read, text) << at;
      continue;
    }
    ++found;
    EXPECT_THAT(read.status().message(), HasSubstr("entry a")) << at;
  }
  EXPECT_GT(found, entry.stored_size / 2);
}

TEST(ArchiveCorruption, AnEncryptedEntryIsRefusedByName) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  bytes[find_nth(bytes, kDirectoryMagic, 1) + 8] |= 1;
  const Status status = read_all(path, bytes);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("data/weight_0"), HasSubstr("encrypted")));
}

TEST(ArchiveCorruption, AnUnknownCompressionMethodIsRefusedByName) {
  const std::string path = temp_path("a.pt2");
  std::string bytes = small_archive(path);
  bytes[find_nth(bytes, kDirectoryMagic, 1) + 10] = 93;
  const Status status = read_all(path, bytes);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("data/weight_0"), HasSubstr("93")));
}

}  // namespace
}  // namespace changeaware
