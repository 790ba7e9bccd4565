// NumPy's .npy files: format versions 1.0, 2.0 and 3.0, C and Fortran order, little-endian.
//
// Source: NumPy's documentation of numpy.lib.format. bfloat16, which NumPy lacks, is kept as the
// 2-byte void type that ml_dtypes saves it as.
// Errors: Io (cannot read or write), Corrupt (not an .npy file, or one that contradicts itself),
// Unsupported (Python objects, big-endian, text and other dtypes); each names the file.
#pragma once

#include <string>
#include <string_view>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::cli {

// A file in Fortran order becomes a tensor with such strides, without a copy.
Result<Tensor> read_npy(const std::string& path);

// The same for the contents of such a file. Messages do not name one.
Result<Tensor> parse_npy(std::string contents);

// Writes C order, format 1.0. A file that was there is replaced.
Status write_npy(const std::string& path, const Tensor& tensor);

struct NpyHeader {
  DType dtype = DType::kFloat32;
  bool fortran_order = false;
  Shape shape;
};

// The dictionary between the file's preamble and its data. Messages do not name a file.
Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace changeaware::cli
