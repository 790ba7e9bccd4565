// Sample inputs of a program, and endless new values made from them.
#pragma once

#include <cstddef>
#include <string>

#include "changeaware/tensor.h"

namespace changeaware::bench {

// How new values are made from the sample.
enum class Variation : uint8_t {
  kScale,     // floats: times 1 + step / 1000
  kRoll,      // integers: moved by `step` places
  kTailMask,  // rows of ones with zeros at the end: other lengths
};

struct Sample {
  std::string name;
  Tensor value;
  Variation variation = Variation::kScale;
};

// Reads raw little-endian bytes in C order. Throws std::runtime_error naming the file.
Tensor read_raw(const std::string& path, DType dtype, const Shape& shape);

// Another value for every step, within the numbers of kinds that `variation` has: about 150 for
// kRoll and 5,000 for kTailMask on two texts of 77 tokens.
Tensor vary(const Sample& sample, size_t step);

}  // namespace changeaware::bench
