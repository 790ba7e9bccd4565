// Single elements of tensors: for messages and for truth values.
#pragma once

#include <string>

#include "changeaware/tensor.h"

namespace changeaware {

// Element `index` in storage order of a contiguous tensor, as text; hexadecimal for dtypes without
// a C++ type.
std::string element_text(const Tensor& tensor, int64_t index);

// True when every element differs from zero (a NaN does).
bool is_nonzero(const Tensor& tensor);

// Calls f(T{}) with the C++ type of `dtype`; false for a dtype that has none.
template <class F>
bool with_element_type(DType dtype, F f) {
  switch (dtype) {
    case DType::kUInt8: f(uint8_t{}); return true;
    case DType::kInt8: f(int8_t{}); return true;
    case DType::kInt16: f(int16_t{}); return true;
    case DType::kInt32: f(int32_t{}); return true;
    case DType::kInt64: f(int64_t{}); return true;
    case DType::kUInt16: f(uint16_t{}); return true;
    case DType::kUInt32: f(uint32_t{}); return true;
    case DType::kUInt64: f(uint64_t{}); return true;
    case DType::kFloat32: f(float{}); return true;
    case DType::kFloat64: f(double{}); return true;
    case DType::kBool: f(bool{}); return true;
    default: return false;
  }
}

}  // namespace changeaware
