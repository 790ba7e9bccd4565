// Which values the fast engine computes as PyTorch does.
#pragma once

#include <cstddef>

#include "changeaware/tensor.h"

namespace changeaware {

struct ValueCheck {
  // Whether a block of elements holds one that it does not; null = it computes all of this dtype.
  bool (*violated)(const std::byte* block, size_t bytes) = nullptr;
  const char* what = "";  // "a NaN, which …"
};

// Integers outside the 32 bits that it computes in; NaN, for which its comparisons and extrema do
// not follow IEEE 754.
ValueCheck value_check(DType dtype);

bool has_fast_values(const Tensor& tensor);

}  // namespace changeaware
