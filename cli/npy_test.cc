#include "cli/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cli/test_files.h"

namespace changeaware::cli {
namespace {

using testing::HasSubstr;

std::string u16(size_t n) { return {static_cast<char>(n & 0xff), static_cast<char>(n >> 8)}; }

// An .npy file of format `major`.0 with this header dictionary and these data bytes.
std::string npy(const std::string& dictionary, const std::string& data, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += u16(dictionary.size() + 1);
  if (major > 1) text += std::string(2, '\0');
  return text + dictionary + '\n' + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// The file is refused with `code`; the message names the file and holds `text`.
void expect_refused(const std::string& contents, StatusCode code, const std::string& text) {
  TemporaryFolder folder;
  const std::string path = folder.write("culprit.npy", contents);
  const auto tensor = read_npy(path);
  ASSERT_FALSE(tensor.ok()) << text;
  EXPECT_EQ(tensor.status().code(), code) << tensor.status().message();
  EXPECT_THAT(tensor.status().message(), HasSubstr("culprit.npy"));
  EXPECT_THAT(tensor.status().message(), HasSubstr(text));
}

TEST(Npy, EveryDTypeComesBackAsItWasWritten) {
  TemporaryFolder folder;
  for (const DType dtype :
       {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat16,
        DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128, DType::kBool,
        DType::kBFloat16, DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    Tensor tensor = Tensor::empty(dtype, {2, 3});
    for (size_t i = 0; i < tensor.size_bytes(); ++i) tensor.mutable_data()[i] = std::byte(i % 2);
    const std::string path = folder.file(std::string(dtype_name(dtype)) + ".npy");
    const Status written = write_npy(path, tensor);
    ASSERT_TRUE(written.ok()) << written.message();
    const auto read = read_npy(path);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(bit_identical(*read, tensor)) << dtype_name(dtype);
  }
}

TEST(Npy, ScalarsVectorsAndEmptyArraysComeBack) {
  TemporaryFolder folder;
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{0}, Shape{2, 0, 4}, Shape{1, 1}}) {
    Tensor tensor = Tensor::empty(DType::kFloat32, shape);
    std::memset(tensor.mutable_data(), 1, tensor.size_bytes());
    ASSERT_TRUE(write_npy(folder.file("a.npy"), tensor).ok());
    const auto read = read_npy(folder.file("a.npy"));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(bit_identical(*read, tensor)) << shape_to_string(shape);
  }
}

TEST(Npy, WrittenDataStartAtAMultipleOf64Bytes) {
  TemporaryFolder folder;
  ASSERT_TRUE(
      write_npy(folder.file("a.npy"), Tensor::of<float>(DType::kFloat32, {2}, {1, 2})).ok());
  const std::string text = TemporaryFolder::read(folder.file("a.npy"));
  EXPECT_EQ(text.size() % 64, 8u);
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"));
}

TEST(Npy, AStridedTensorIsWrittenInCOrder) {
  TemporaryFolder folder;
  const Tensor dense = Tensor::of<int32_t>(DType::kInt32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto transposed = Tensor::view(DType::kInt32, {3, 2}, {1, 3}, 0, dense.storage());
  ASSERT_TRUE(transposed.ok());
  ASSERT_TRUE(write_npy(folder.file("a.npy"), *transposed).ok());
  const auto read = read_npy(folder.file("a.npy"));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(bit_identical(*read, Tensor::of<int32_t>(DType::kInt32, {3, 2}, {1, 4, 2, 5, 3, 6})));
}

TEST(Npy, FortranOrderBecomesStrides) {
  TemporaryFolder folder;
  const std::string path =
      folder.write("f.npy", npy(header("<i4", "(2, 3)", true), bytes<int32_t>({1, 4, 2, 5, 3, 6})));
  const auto read = read_npy(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(bit_identical(*read, Tensor::of<int32_t>(DType::kInt32, {2, 3}, {1, 2, 3, 4, 5, 6})));
}

TEST(Npy, Formats2And3AreRead) {
  TemporaryFolder folder;
  for (const char major : {char{2}, char{3}}) {
    const std::string path =
        folder.write("v.npy", npy(header("<i8", "(2,)"), bytes<int64_t>({7, -8}), major));
    const auto read = read_npy(path);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(bit_identical(*read, Tensor::of<int64_t>(DType::kInt64, {2}, {7, -8})));
  }
}

TEST(Npy, KeysMayComeInAnyOrderAndWithAnyQuotes) {
  const auto header =
      parse_npy_header("{\"shape\":(1, 2),'fortran_order':True, 'descr':\"|b1\"}   \n");
  ASSERT_TRUE(header.ok()) << header.status().message();
  EXPECT_EQ(header->dtype, DType::kBool);
  EXPECT_TRUE(header->fortran_order);
  EXPECT_EQ(header->shape, (Shape{1, 2}));
}

TEST(Npy, MissingFilesAndFoldersAreIo) {
  TemporaryFolder folder;
  const auto missing = read_npy(folder.file("nowhere.npy"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kIo);
  EXPECT_THAT(missing.status().message(), HasSubstr("nowhere.npy"));
  const auto directory = read_npy(folder.file(""));
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.status().code(), StatusCode::kIo);
  const Status unwritable =
      write_npy(folder.file("no/such/a.npy"), Tensor::of<float>(DType::kFloat32, {1}, {1}));
  EXPECT_EQ(unwritable.code(), StatusCode::kIo);
  EXPECT_THAT(unwritable.message(), HasSubstr("no/such/a.npy"));
}

TEST(Npy, FilesThatAreNoNpyFilesAreCorrupt) {
  expect_refused("", StatusCode::kCorrupt, "too short");
  expect_refused("PK\x03\x04 a zip archive", StatusCode::kCorrupt, "not an .npy file");
  expect_refused(npy(header("<f4", "(1,)"), "1234", 4), StatusCode::kUnsupported, "format 4.0");
}

TEST(Npy, ATruncatedFileIsCorruptWhereverItEnds) {
  const std::string whole = npy(header("<f4", "(3,)"), std::string(12, 'x'), 2);
  for (size_t length = 0; length < whole.size(); ++length) {
    TemporaryFolder folder;
    const auto tensor = read_npy(folder.write("cut.npy", whole.substr(0, length)));
    ASSERT_FALSE(tensor.ok()) << length;
    EXPECT_EQ(tensor.status().code(), StatusCode::kCorrupt) << tensor.status().message();
    EXPECT_THAT(tensor.status().message(), HasSubstr("cut.npy"));
  }
}

TEST(Npy, BytesAfterTheArrayAreCorrupt) {
  expect_refused(npy(header("<f4", "(1,)"), "12345"), StatusCode::kCorrupt,
                 "float32 [1] does not fit the 5 bytes");
}

TEST(Npy, AnOverflowingShapeIsCorrupt) {
  expect_refused(npy(header("<f4", "(4294967296, 4294967296)"), ""), StatusCode::kCorrupt,
                 "does not fit");
  expect_refused(npy(header("<f4", "(4294967296, 4294967296, 0)"), ""), StatusCode::kCorrupt,
                 "does not fit");
}

TEST(Npy, PickledObjectsAndForeignDTypesAreUnsupported) {
  expect_refused(npy(header("|O", "(1,)"), "cos\nsystem"), StatusCode::kUnsupported,
                 "pickled Python objects");
  expect_refused(npy(header(">f4", "(1,)"), "1234"), StatusCode::kUnsupported, "big-endian");
  expect_refused(npy(header("<U5", "(1,)"), ""), StatusCode::kUnsupported, "'<U5'");
  expect_refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
                 StatusCode::kUnsupported, "structured dtype");
}

TEST(Npy, AMalformedHeaderIsCorruptAndSaysWhere) {
  struct Case {
    const char* header;
    const char* message;
  };
  for (const Case& c : {
           Case{"", "'{' at byte 0"},
           Case{"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
           Case{"{'fortran_order': False, 'shape': ()}", "no 'descr'"},
           Case{"{'descr': '<f4', 'shape': ()}", "no 'fortran_order'"},
           Case{"{'descr': '<f4', 'descr': '<f4'}", "'descr' comes twice"},
           Case{"{'color': 1}", "unknown key 'color'"},
           Case{"{'descr' '<f4'}", "':'"},
           Case{"{'descr': '<f4", "end of a quoted string"},
           Case{"{'fortran_order': 1}", "True or False"},
           Case{"{'shape': (-1,)}", "a size"},
           Case{"{'shape': (1.5,)}", "')'"},
           Case{"{'shape': (3)}", "a tuple"},
           Case{"{'shape': 3}", "'('"},
           Case{"{'shape': (99999999999999999999,)}", "a size"},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "end of the header"},
       }) {
    const auto parsed = parse_npy_header(c.header);
    ASSERT_FALSE(parsed.ok()) << c.header;
    EXPECT_EQ(parsed.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(parsed.status().message(), HasSubstr(c.message)) << c.header;
  }
}

TEST(Npy, Complex32CannotBeWritten) {
  TemporaryFolder folder;
  const Status status = write_npy(folder.file("c.npy"), Tensor::empty(DType::kComplex32, {1}));
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("complex32"));
}

}  // namespace
}  // namespace changeaware::cli
