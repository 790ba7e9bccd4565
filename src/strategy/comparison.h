// Comparison of two tensors within a Tolerance, and the first element where they part.
#pragma once

#include <string>

#include "changeaware/package.h"
#include "changeaware/tensor.h"

namespace changeaware {

// What engines are trusted with: a larger part of an output's scale is a wrong result, whatever
// the caller tolerates.
inline constexpr double kTrustedOfScale = 1e-4;

struct Comparison {
  bool same_bits = false;
  bool within_tolerance = false;
  // Outside the tolerance and outside kTrustedOfScale as well.
  bool contradicts = false;
  // The first element outside the tolerance, else the first whose bits differ; -1 when no single
  // element is at fault (another dtype or shape) and when the bits are the same.
  int64_t element = -1;
};

// In logical order of elements. A NaN equals a NaN. Float64 and float32 are compared as numbers,
// everything else to the bit.
Comparison compare(const Tensor& expected, const Tensor& got, const Tolerance& tolerance);

// "differs first at element 3: 0.25 in main, 0.5 in the segments", or dtypes and shapes when those
// differ. REQUIRES: `comparison` is theirs and its bits differ.
std::string describe(const Comparison& comparison, const Tensor& expected, const Tensor& got,
                     const std::string& expected_in, const std::string& got_in);

}  // namespace changeaware
