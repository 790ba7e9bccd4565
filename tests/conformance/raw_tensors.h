// Tensors in files that the driver reads and writes too: raw_tensors.py describes the format.
#pragma once

#include <string>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware::conformance {

// As they were written, strides and all. Errors: Io, Corrupt, naming the file.
Result<std::vector<Tensor>> read_raw_tensors(const std::string& path);
// Dense; a tensor that is not defined() is written as "none". Errors: Io.
Status write_raw_tensors(const std::string& path, const std::vector<Tensor>& tensors);

}  // namespace changeaware::conformance
