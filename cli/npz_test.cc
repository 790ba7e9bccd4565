#include "cli/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <minizip/zip.h>

#include "cli/npy.h"
#include "cli/test_files.h"

namespace changeaware::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Entry {
  std::string name;
  std::string contents;
  bool deflated = false;
};

class Npz : public testing::Test {
 protected:
  std::string write(const std::vector<Entry>& entries) {
    const std::string path = folder_.file("culprit.npz");
    zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
    for (const Entry& entry : entries) {
      const int method = entry.deflated ? Z_DEFLATED : 0;
      zipOpenNewFileInZip64(zip, entry.name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                            method, Z_DEFAULT_COMPRESSION, 0);
      zipWriteInFileInZip(zip, entry.contents.data(), static_cast<unsigned>(entry.contents.size()));
      zipCloseFileInZip(zip);
    }
    zipClose(zip, nullptr);
    return path;
  }
  // The contents of an .npy file.
  std::string npy(const Tensor& tensor) {
    const std::string path = folder_.file("array.npy");
    EXPECT_TRUE(write_npy(path, tensor).ok());
    return TemporaryFolder::read(path);
  }
  TemporaryFolder folder_;
};

const Tensor kOne = Tensor::of<float>(DType::kFloat32, {2}, {1, 2});
const Tensor kTwo = Tensor::of<int64_t>(DType::kInt64, {}, {7});

TEST_F(Npz, StoredAndDeflatedArraysComeBackByName) {
  const Tensor large = Tensor::empty(DType::kUInt8, {3 << 20});
  for (size_t i = 0; i < large.size_bytes(); ++i) large.mutable_data()[i] = std::byte(i % 251);
  const auto read = read_npz(write(
      {{"one.npy", npy(kOne)}, {"two.npy", npy(kTwo), true}, {"large.npy", npy(large), true}}));
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 3);
  EXPECT_TRUE(bit_identical(read->at("one"), kOne));
  EXPECT_TRUE(bit_identical(read->at("two"), kTwo));
  EXPECT_TRUE(bit_identical(read->at("large"), large));
}

TEST_F(Npz, AnEntryThatIsNoArrayIsNamed) {
  const auto read = read_npz(write({{"one.npy", npy(kOne)}, {"two.npy", "nothing"}}));
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(read.status().message(), AllOf(HasSubstr("culprit.npz"), HasSubstr("two.npy")));
  EXPECT_THAT(read_npz(write({{"readme.txt", ""}})).status().message(),
              HasSubstr("readme.txt: not an .npy entry"));
}

TEST_F(Npz, ADamagedEntryIsNamed) {
  const std::string path = write({{"one.npy", npy(kOne)}});
  std::string bytes = TemporaryFolder::read(path);
  bytes[bytes.find("\x93NUMPY") + 70] ^= 1;
  folder_.write("culprit.npz", bytes);
  const auto read = read_npz(path);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(read.status().message(), AllOf(HasSubstr("one.npy"), HasSubstr("CRC-32")));
}

TEST_F(Npz, AnEntryThatComesTwiceIsNamed) {
  const auto read = read_npz(write({{"one.npy", npy(kOne)}, {"one.npy", npy(kTwo)}}));
  EXPECT_THAT(read.status().message(), HasSubstr("one.npy comes twice"));
}

TEST_F(Npz, WhatIsNoZipOrNotThereIsSaid) {
  const auto text = read_npz(folder_.write("culprit.npz", "no zip"));
  EXPECT_EQ(text.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(text.status().message(), AllOf(HasSubstr("culprit.npz"), HasSubstr("not an .npz")));
  const auto missing = read_npz(folder_.file("missing.npz"));
  EXPECT_EQ(missing.status().code(), StatusCode::kIo);
  EXPECT_THAT(missing.status().message(), HasSubstr("missing.npz: no such file"));
}

TEST_F(Npz, ATruncatedFileIsRefused) {
  const std::string whole = TemporaryFolder::read(write({{"one.npy", npy(kOne)}}));
  // Up to the record that ends a zip, of which the last bytes say nothing.
  for (size_t bytes = 0; bytes + 22 <= whole.size(); bytes += 7) {
    const auto read = read_npz(folder_.write("culprit.npz", whole.substr(0, bytes)));
    EXPECT_FALSE(read.ok()) << bytes << " of " << whole.size();
  }
}

}  // namespace
}  // namespace changeaware::cli
