#include "engine/torch_numbers.h"

#include <utility>

namespace changeaware {
namespace {

constexpr std::pair<DType, int32_t> kTypes[] = {
    {DType::kUInt8, 0},     {DType::kInt8, 1},      {DType::kInt16, 2},       {DType::kInt32, 3},
    {DType::kInt64, 4},     {DType::kFloat16, 5},   {DType::kFloat32, 6},     {DType::kFloat64, 7},
    {DType::kComplex32, 8}, {DType::kComplex64, 9}, {DType::kComplex128, 10}, {DType::kBool, 11},
    {DType::kBFloat16, 15}, {DType::kUInt16, 27},   {DType::kUInt32, 28},     {DType::kUInt64, 29},
};

}  // namespace

int32_t scalar_type_number(DType dtype) {
  for (const auto& [d, number] : kTypes) {
    if (d == dtype) return number;
  }
  return -1;
}

std::optional<DType> dtype_of_scalar_type(int32_t wanted) {
  for (const auto& [d, number] : kTypes) {
    if (number == wanted) return d;
  }
  return std::nullopt;
}

int64_t memory_format_number(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::kContiguous: return 0;
    case MemoryFormat::kPreserve: return 1;
    case MemoryFormat::kChannelsLast: return 2;
    case MemoryFormat::kChannelsLast3d: return 3;
  }
  return 0;
}

}  // namespace changeaware
