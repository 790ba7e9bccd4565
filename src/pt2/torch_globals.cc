#include "pt2/torch_globals.h"

namespace changeaware {
namespace {

struct StorageClass {
  std::string_view global;
  DType dtype;
};
constexpr StorageClass kStorages[] = {
    {"torch ByteStorage", DType::kUInt8},
    {"torch CharStorage", DType::kInt8},
    {"torch ShortStorage", DType::kInt16},
    {"torch IntStorage", DType::kInt32},
    {"torch LongStorage", DType::kInt64},
    {"torch HalfStorage", DType::kFloat16},
    {"torch FloatStorage", DType::kFloat32},
    {"torch DoubleStorage", DType::kFloat64},
    {"torch ComplexFloatStorage", DType::kComplex64},
    {"torch ComplexDoubleStorage", DType::kComplex128},
    {"torch BoolStorage", DType::kBool},
    {"torch BFloat16Storage", DType::kBFloat16},
};

}  // namespace

std::optional<DType> storage_dtype(std::string_view global) {
  for (const StorageClass& known : kStorages) {
    if (known.global == global) return known.dtype;
  }
  return std::nullopt;
}

std::string_view storage_global(DType dtype) {
  for (const StorageClass& known : kStorages) {
    if (known.dtype == dtype) return known.global;
  }
  return {};
}

bool is_known_global(std::string_view global) {
  return global == kRebuildTensor || global == kOrderedDict || storage_dtype(global).has_value();
}

}  // namespace changeaware
