#include "pt2/codes.h"

#include <string_view>

#include "base/errors.h"

namespace changeaware {
namespace {

struct DTypeCode {
  int64_t code;
  DType dtype;
};
constexpr DTypeCode kDTypes[] = {
    {1, DType::kUInt8},     {2, DType::kInt8},       {3, DType::kInt16},       {4, DType::kInt32},
    {5, DType::kInt64},     {6, DType::kFloat16},    {7, DType::kFloat32},     {8, DType::kFloat64},
    {9, DType::kComplex32}, {10, DType::kComplex64}, {11, DType::kComplex128}, {12, DType::kBool},
    {13, DType::kBFloat16}, {28, DType::kUInt16},    {34, DType::kUInt32},     {35, DType::kUInt64},
};

struct OtherDType {
  int64_t code;
  std::string_view name;
};
constexpr OtherDType kOtherDTypes[] = {{29, "float8_e4m3fn"},
                                       {30, "float8_e5m2"},
                                       {31, "float8_e4m3fnuz"},
                                       {32, "float8_e5m2fnuz"},
                                       {33, "float8_e8m0fnu"}};

constexpr int64_t kLayouts = 8;
constexpr int64_t kMemoryFormats = 5;

}  // namespace

Result<DType> dtype_from_code(int64_t code) {
  for (const DTypeCode& known : kDTypes) {
    if (known.code == code) return known.dtype;
  }
  for (const OtherDType& other : kOtherDTypes) {
    if (other.code == code) return unsupported("dtype {}", other.name);
  }
  return corrupt("{} is no dtype code", code);
}

int64_t code_of(DType dtype) {
  for (const DTypeCode& known : kDTypes) {
    if (known.dtype == dtype) return known.code;
  }
  return 0;
}

Result<Layout> layout_from_code(int64_t code) {
  if (code < 0 || code >= kLayouts) return corrupt("{} is no layout code", code);
  return code == kStridedCode ? Layout::kStrided : Layout::kOther;
}

Result<MemoryFormat> memory_format_from_code(int64_t code) {
  // Code 0 means unknown; the others follow MemoryFormat in order.
  if (code < 1 || code >= kMemoryFormats) return corrupt("{} is no memory format code", code);
  return static_cast<MemoryFormat>(code - 1);
}

int64_t code_of(MemoryFormat format) { return static_cast<int64_t>(format) + 1; }

}  // namespace changeaware
