#include "archive/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "archive/test_archives.h"

namespace changeaware {
namespace {

using testing::HasSubstr;

TEST(Archive, EntriesComeInFileOrderWithoutTheTopFolder) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  ASSERT_EQ((*archive)->entries().size(), 3u);
  EXPECT_EQ((*archive)->entries()[0].name, "models/model.json");
  EXPECT_EQ((*archive)->entries()[1].name, "data/weight_0");
  EXPECT_EQ((*archive)->entries()[2].size, 0u);
  EXPECT_EQ((*archive)->find("data/none"), nullptr);
  EXPECT_EQ((*archive)->find("top/data/weight_0"), nullptr);
}

TEST(Archive, MappedBytesAreTheStoredOnesAndAligned) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const ArchiveEntry* entry = (*archive)->find("data/weight_0");
  ASSERT_NE(entry, nullptr);
  const auto bytes = (*archive)->map(*entry);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(bytes->size(), 20u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes->data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<const float*>(bytes->data())[4], 5.0f);
  EXPECT_TRUE((*archive)->check_crc(*entry).ok());
  (*archive)->drop_resident_pages();
  EXPECT_EQ(reinterpret_cast<const float*>(bytes->data())[3], 4.0f);
}

TEST(Archive, ADeflatedEntryIsReadButNotMapped) {
  const std::string path = temp_path("a.pt2");
  const std::string text(100000, 'x');
  write_plain(path, {{"top/a.txt", text, true}, {"top/b.txt", "stored", false}});
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  const auto read = (*archive)->read_text("a.txt");
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(*read, text);
  EXPECT_EQ((*archive)->read_text("b.txt").value(), "stored");
  const auto mapped = (*archive)->map(*(*archive)->find("a.txt"));
  EXPECT_EQ(mapped.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(mapped.status().message(), HasSubstr("a.txt"));
  EXPECT_TRUE((*archive)->check_crc(*(*archive)->find("a.txt")).ok());
}

TEST(Archive, NamesStayWhereThereIsNoSingleTopFolder) {
  const std::string path = temp_path("a.pt2");
  write_plain(path, {{"one/a", "1", false}, {"two/b", "2", false}});
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  EXPECT_NE((*archive)->find("one/a"), nullptr);
  EXPECT_NE((*archive)->find("two/b"), nullptr);
}

TEST(Archive, FolderEntriesAreLeftOut) {
  const std::string path = temp_path("a.pt2");
  write_plain(path, {{"top/", "", false}, {"top/a", "1", false}});
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  ASSERT_EQ((*archive)->entries().size(), 1u);
}

TEST(Archive, AnArchiveInsideAnArchiveOpensFromMemory) {
  const std::string inner = small_archive(temp_path("inner.pt2"));
  const std::string path = temp_path("outer.pt2");
  auto writer = ArchiveWriter::create(path, "outer");
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->add("inner.pt", inner).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto outer = Archive::open(path);
  ASSERT_TRUE(outer.ok());
  const auto bytes = (*outer)->map(*(*outer)->find("inner.pt"));
  ASSERT_TRUE(bytes.ok());
  const auto nested = Archive::open_memory("outer.pt2: inner.pt", *bytes, *outer);
  ASSERT_TRUE(nested.ok()) << nested.status().to_string();
  EXPECT_EQ((*nested)->read_text("models/model.json").value(), "{\"a\": 1}");
  const auto broken = Archive::open_memory("outer.pt2: inner.pt", bytes->first(40), *outer);
  EXPECT_THAT(broken.status().message(), HasSubstr("outer.pt2: inner.pt"));
}

TEST(Archive, AMissingFileIsAnIoErrorNamingThePath) {
  const auto archive = Archive::open("/nowhere/model.pt2");
  EXPECT_EQ(archive.status().code(), StatusCode::kIo);
  EXPECT_THAT(archive.status().message(), HasSubstr("/nowhere/model.pt2"));
}

TEST(Archive, AMissingEntryIsCorruptNamingFileAndEntry) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const auto text = (*archive)->read_text("models/other.json");
  EXPECT_EQ(text.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(text.status().message(), HasSubstr("models/other.json"));
  EXPECT_THAT(text.status().message(), HasSubstr(path));
}

// Little-endian fields, each {value, bytes}.
std::string fields(std::initializer_list<std::pair<uint64_t, int>> list) {
  std::string out;
  for (const auto& [value, bytes] : list) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  }
  return out;
}

// A local header whose sizes are in a zip64 field.
std::string zip64_local_header(const std::string& name, uint64_t size) {
  return std::string(kLocalMagic) +
         fields({{45, 2}, {0, 2}, {0, 2}, {0, 4}, {7, 4}, {0xffffffff, 4}, {0xffffffff, 4}}) +
         fields({{name.size(), 2}, {20, 2}}) + name +
         fields({{1, 2}, {16, 2}, {size, 8}, {size, 8}});
}

std::string empty_local_header(const std::string& name) {
  return std::string(kLocalMagic) +
         fields(
             {{20, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {0, 4}, {0, 4}, {name.size(), 2}, {0, 2}}) +
         name;
}

// A directory record with sizes and offset in a zip64 field.
std::string zip64_record(const std::string& name, uint64_t crc, uint64_t size, uint64_t offset) {
  return std::string(kDirectoryMagic) +
         fields({{45, 2}, {45, 2}, {0, 2}, {0, 2}, {0, 4}, {crc, 4}}) +
         fields({{0xffffffff, 4}, {0xffffffff, 4}, {name.size(), 2}, {28, 2}, {0, 2}}) +
         fields({{0, 2}, {0, 2}, {0, 4}, {0xffffffff, 4}}) + name +
         fields({{1, 2}, {24, 2}, {size, 8}, {size, 8}, {offset, 8}});
}

// The zip64 end record, its locator and the classic end record.
std::string zip64_end(uint64_t entries, uint64_t directory, uint64_t directory_bytes) {
  return std::string("PK\x06\x06", 4) + fields({{44, 8}, {45, 2}, {45, 2}, {0, 4}, {0, 4}}) +
         fields({{entries, 8}, {entries, 8}, {directory_bytes, 8}, {directory, 8}}) +
         std::string("PK\x06\x07", 4) + fields({{0, 4}, {directory + directory_bytes, 8}, {1, 4}}) +
         std::string(kEndMagic) +
         fields({{0, 4}, {0xffff, 2}, {0xffff, 2}, {0xffffffff, 4}, {0xffffffff, 4}, {0, 2}});
}

TEST(Archive, OffsetsBeyond4GiBAreRead) {
  // A sparse file: one entry of 4 GiB of zeros costs no disk; its CRC is not checked here.
  const std::string path = temp_path("big.pt2");
  const uint64_t big = (uint64_t{4} << 30) + 4096;
  const std::string head = zip64_local_header("top/big", big);
  const uint64_t second = head.size() + big;
  const std::string local = empty_local_header("top/b");
  const std::string directory =
      zip64_record("top/big", 7, big, 0) + zip64_record("top/b", 0, 0, second);
  {
    std::ofstream out(path, std::ios::binary);
    out << head;
    out.seekp(static_cast<std::streamoff>(second));
    out << local << directory << zip64_end(2, second + local.size(), directory.size());
    ASSERT_TRUE(out.good());
  }
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  const ArchiveEntry* entry = (*archive)->find("big");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->size, big);
  const auto bytes = (*archive)->map(*entry);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->back(), std::byte{0});
  EXPECT_EQ((*archive)->find("b")->offset, second + local.size());
  std::remove(path.c_str());
}

TEST(Archive, AFileThatStaysOrIsReplacedIsUnchanged) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  EXPECT_TRUE((*archive)->check_unchanged().ok());
  small_archive(path + ".new");
  ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
  EXPECT_TRUE((*archive)->check_unchanged().ok()) << "the old one is still mapped";
  std::filesystem::resize_file(path, 3);
  EXPECT_TRUE((*archive)->check_unchanged().ok()) << "that is another file";
  std::remove(path.c_str());
  EXPECT_TRUE((*archive)->check_unchanged().ok());
}

TEST(Archive, ATruncatedFileIsNoticedSinceItWasOpened) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto size = std::filesystem::file_size(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  std::filesystem::resize_file(path, 3);
  const Status status = (*archive)->check_unchanged();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr(path));
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(size) + " bytes then, 3 now"));
}

TEST(Archive, OtherContentsOfTheSameSizeAreNoticed) {
  const std::string path = temp_path("a.pt2");
  small_archive(path);
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  namespace fs = std::filesystem;
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_EQ((*archive)->check_unchanged().code(), StatusCode::kCorrupt);
}

TEST(Archive, BytesInMemoryAreNeverChangedInPlace) {
  const std::string path = temp_path("outer.pt2");
  small_archive(path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto archive = Archive::open_memory("inner", std::as_bytes(std::span(bytes)), nullptr);
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  EXPECT_TRUE((*archive)->check_unchanged().ok());
}

}  // namespace
}  // namespace changeaware
