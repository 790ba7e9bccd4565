// NumPy's .npz files: a zip of .npy entries, stored or deflated.
#pragma once

#include <map>
#include <string>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::cli {

// Arrays by name, without the ".npy" of their entries. Errors as in npy.h, naming file and entry;
// Corrupt for what is no zip, or is damaged (CRC-32).
Result<std::map<std::string, Tensor>> read_npz(const std::string& path);

}  // namespace changeaware::cli
