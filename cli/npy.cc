#include "cli/npy.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/error.h"
#include "cli/npy_dtype.h"

namespace changeaware::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the data, as NumPy writes it

// File positions of one .npy file.
struct Layout {
  NpyHeader header;
  uint64_t data_begin = 0;
};

Result<uint64_t> file_bytes(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!failure && !std::filesystem::is_regular_file(status)) {
    const bool there = std::filesystem::exists(status);
    return error(StatusCode::kIo, "{}", there ? "not a file" : "no such file");
  }
  const uint64_t bytes = failure ? 0 : std::filesystem::file_size(path, failure);
  if (failure) return error(StatusCode::kIo, "{}", failure.message());
  return bytes;
}

Status read_exactly(std::istream& file, void* out, uint64_t bytes) {
  file.read(static_cast<char*>(out), static_cast<std::streamsize>(bytes));
  if (file.good()) return {};
  return error(StatusCode::kIo, "cannot read {} bytes", bytes);
}

// Preamble: magic, major, minor, header length (2 bytes in version 1, 4 bytes after), header.
Result<Layout> read_layout(std::istream& file, uint64_t bytes) {
  unsigned char preamble[12] = {};
  const uint64_t short_preamble = kMagic.size() + 4;
  if (bytes < short_preamble) return error(StatusCode::kCorrupt, "too short for an .npy file");
  CA_RETURN_IF_ERROR(read_exactly(file, preamble, short_preamble));
  if (std::memcmp(preamble, kMagic.data(), kMagic.size()) != 0) {
    return error(StatusCode::kCorrupt, "not an .npy file: it does not start with \\x93NUMPY");
  }
  const int major = preamble[6];
  if (major < 1 || major > 3 || preamble[7] != 0) {
    return error(StatusCode::kUnsupported, ".npy format {}.{}; 1.0 to 3.0 are known", major,
                 preamble[7]);
  }
  uint64_t length = preamble[8] | preamble[9] << 8;
  uint64_t begin = short_preamble;
  if (major > 1) {
    if (bytes < sizeof preamble) return error(StatusCode::kCorrupt, "too short for an .npy file");
    CA_RETURN_IF_ERROR(read_exactly(file, preamble + 10, 2));
    length |= static_cast<uint64_t>(preamble[10]) << 16 | static_cast<uint64_t>(preamble[11]) << 24;
    begin = sizeof preamble;
  }
  if (length > bytes - begin) {
    return error(StatusCode::kCorrupt, "the header of {} bytes leaves the file", length);
  }
  std::string text(length, '\0');
  CA_RETURN_IF_ERROR(read_exactly(file, text.data(), length));
  CA_ASSIGN_OR_RETURN(NpyHeader header, parse_npy_header(text));
  return Layout{std::move(header), begin + length};
}

// Bytes of the elements; Corrupt unless they are exactly the rest of the file.
Result<uint64_t> data_bytes(const Layout& layout, uint64_t file_size) {
  // A size of 0 empties the array, but must not hide that the others are absurd.
  int64_t bound = static_cast<int64_t>(dtype_bytes(layout.header.dtype));
  bool overflow = false;
  bool is_empty = false;
  for (const int64_t size : layout.header.shape) {
    overflow |= __builtin_mul_overflow(bound, std::max<int64_t>(size, 1), &bound);
    is_empty |= size == 0;
  }
  const uint64_t bytes = is_empty ? 0 : static_cast<uint64_t>(bound);
  const uint64_t rest = file_size - layout.data_begin;
  if (overflow || bytes != rest) {
    return error(StatusCode::kCorrupt, "{} {} does not fit the {} bytes of data in the file",
                 dtype_name(layout.header.dtype), shape_to_string(layout.header.shape), rest);
  }
  return bytes;
}

std::vector<int64_t> fortran_strides(const Shape& shape) {
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t size : shape) {
    strides.push_back(stride);
    stride *= size > 0 ? size : 1;
  }
  return strides;
}

Result<Tensor> read_stream(std::istream& file, uint64_t file_size) {
  CA_ASSIGN_OR_RETURN(const Layout layout, read_layout(file, file_size));
  CA_ASSIGN_OR_RETURN(const uint64_t bytes, data_bytes(layout, file_size));
  const NpyHeader& header = layout.header;
  Tensor dense = Tensor::empty(header.dtype, header.shape);
  if (bytes > 0) CA_RETURN_IF_ERROR(read_exactly(file, dense.mutable_data(), bytes));
  if (!header.fortran_order || bytes == 0) return dense;
  return Tensor::view(header.dtype, header.shape, fortran_strides(header.shape), 0,
                      dense.storage());
}

Result<Tensor> read_file(const std::string& path) {
  CA_ASSIGN_OR_RETURN(const uint64_t file_size, file_bytes(path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return error(StatusCode::kIo, "{}", std::strerror(errno));
  return read_stream(file, file_size);
}

Result<std::string> header_text(const Tensor& tensor) {
  CA_ASSIGN_OR_RETURN(const std::string_view descr, descr_of_dtype(tensor.dtype()));
  std::string shape;
  for (const int64_t size : tensor.shape()) shape += fmt::format("{}, ", size);
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.rank() == 1) shape.pop_back();
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  const size_t preamble = kMagic.size() + 4;
  while ((preamble + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  if (text.size() > UINT16_MAX) {
    return error(StatusCode::kUnsupported, "rank {} does not fit an .npy header", tensor.rank());
  }
  return text;
}

Status write_tensor(const std::string& path, const Tensor& tensor) {
  CA_ASSIGN_OR_RETURN(const std::string header, header_text(tensor));
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                     static_cast<char>(header.size() >> 8)};
  const Tensor dense = tensor.contiguous();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return error(StatusCode::kIo, "{}", std::strerror(errno));
  file.write(kMagic.data(), static_cast<std::streamsize>(kMagic.size()));
  file.write(version_and_length, sizeof version_and_length);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  const auto bytes = static_cast<std::streamsize>(dense.size_bytes());
  if (bytes > 0) file.write(reinterpret_cast<const char*>(dense.data()), bytes);
  file.close();
  return file ? Status() : error(StatusCode::kIo, "cannot write {} bytes", bytes);
}

}  // namespace

Result<Tensor> read_npy(const std::string& path) {
  Result<Tensor> tensor = read_file(path);
  if (!tensor.ok()) return tensor.status().with_context(path);
  return tensor;
}

Result<Tensor> parse_npy(std::string contents) {
  const uint64_t bytes = contents.size();
  std::istringstream stream(std::move(contents));
  return read_stream(stream, bytes);
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  return write_tensor(path, tensor).with_context(path);
}

}  // namespace changeaware::cli
