#include "engine/torch/dtypes.h"

#include <utility>

namespace changeaware::torch {
namespace {

constexpr std::pair<DType, int32_t> kTypes[] = {
    {DType::kUInt8, 0},     {DType::kInt8, 1},      {DType::kInt16, 2},       {DType::kInt32, 3},
    {DType::kInt64, 4},     {DType::kFloat16, 5},   {DType::kFloat32, 6},     {DType::kFloat64, 7},
    {DType::kComplex32, 8}, {DType::kComplex64, 9}, {DType::kComplex128, 10}, {DType::kBool, 11},
    {DType::kBFloat16, 15}, {DType::kUInt16, 27},   {DType::kUInt32, 28},     {DType::kUInt64, 29},
};

}  // namespace

int32_t scalar_type(DType dtype) {
  for (const auto& [d, number] : kTypes) {
    if (d == dtype) return number;
  }
  return -1;
}

std::optional<DType> dtype_of(int32_t scalar_type) {
  for (const auto& [d, number] : kTypes) {
    if (number == scalar_type) return d;
  }
  return std::nullopt;
}

}  // namespace changeaware::torch
