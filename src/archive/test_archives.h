// Archives for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <minizip/zip.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/archive_writer.h"

namespace changeaware {

inline std::string temp_path(const std::string& name) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + info->test_suite_name() + "_" + info->name() + "_" + name;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A small archive of ours: a text, numbers, an empty entry.
inline std::string small_archive(const std::string& path) {
  auto writer = ArchiveWriter::create(path, "top");
  EXPECT_TRUE(writer.ok());
  const std::vector<float> numbers = {1, 2, 3, 4, 5};
  EXPECT_TRUE((*writer)->add("models/model.json", "{\"a\": 1}").ok());
  EXPECT_TRUE((*writer)->add("data/weight_0", std::as_bytes(std::span(numbers))).ok());
  EXPECT_TRUE((*writer)->add("data/empty", "").ok());
  EXPECT_TRUE((*writer)->finish().ok());
  return read_file(path);
}

// Entries written by minizip itself: unaligned, deflated where asked, duplicates allowed.
struct PlainEntry {
  std::string name;
  std::string text;
  bool deflate = false;
};

inline void write_plain(const std::string& path, const std::vector<PlainEntry>& entries) {
  zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  ASSERT_NE(zip, nullptr);
  for (const PlainEntry& e : entries) {
    ASSERT_EQ(zipOpenNewFileInZip64(zip, e.name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                                    e.deflate ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 0),
              ZIP_OK);
    ASSERT_EQ(zipWriteInFileInZip(zip, e.text.data(), static_cast<unsigned>(e.text.size())),
              ZIP_OK);
    ASSERT_EQ(zipCloseFileInZip(zip), ZIP_OK);
  }
  ASSERT_EQ(zipClose(zip, nullptr), ZIP_OK);
}

inline size_t find_nth(const std::string& bytes, std::string_view what, int n) {
  size_t at = std::string::npos;
  for (int i = 0; i <= n; ++i) at = bytes.find(what, at + 1);
  return at;
}

inline constexpr std::string_view kLocalMagic("PK\x03\x04", 4);
inline constexpr std::string_view kDirectoryMagic("PK\x01\x02", 4);
inline constexpr std::string_view kEndMagic("PK\x05\x06", 4);

}  // namespace changeaware
