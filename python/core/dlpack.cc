#include "core/dlpack.h"

#include <array>

namespace changeaware::python::dlpack {
namespace {

enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6 };

struct Pair {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};

constexpr std::array kPairs = {
    Pair{DType::kUInt8, kUInt, 8},           Pair{DType::kInt8, kInt, 8},
    Pair{DType::kInt16, kInt, 16},           Pair{DType::kInt32, kInt, 32},
    Pair{DType::kInt64, kInt, 64},           Pair{DType::kFloat16, kFloat, 16},
    Pair{DType::kFloat32, kFloat, 32},       Pair{DType::kFloat64, kFloat, 64},
    Pair{DType::kComplex32, kComplex, 32},   Pair{DType::kComplex64, kComplex, 64},
    Pair{DType::kComplex128, kComplex, 128}, Pair{DType::kBool, kBool, 8},
    Pair{DType::kBFloat16, kBFloat, 16},     Pair{DType::kUInt16, kUInt, 16},
    Pair{DType::kUInt32, kUInt, 32},         Pair{DType::kUInt64, kUInt, 64},
};

}  // namespace

std::optional<DType> dtype_of(const DataType& type) {
  for (const Pair& pair : kPairs) {
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) return pair.dtype;
  }
  return std::nullopt;
}

DataType type_of(DType dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.dtype == dtype) return {pair.code, pair.bits, 1};
  }
  return {kUInt, 8, 1};  // not reached: the table holds every dtype
}

}  // namespace changeaware::python::dlpack
