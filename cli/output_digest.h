// How output bytes are named and shown.
#pragma once

#include <string>

#include "changeaware/tensor.h"

namespace changeaware::cli {

// SHA-256, in hexadecimal, of the elements' little-endian bytes in C order.
std::string sha256_hex(const Tensor& tensor);

}  // namespace changeaware::cli
