// Type promotion between tensors.
#include <algorithm>

#include "normalise/inplace.h"

namespace changeaware {
namespace {

enum class Category : uint8_t { kBool, kInteger, kFloating, kComplex };

Category category(DType dtype) {
  if (dtype == DType::kBool) return Category::kBool;
  if (is_integer(dtype)) return Category::kInteger;
  return is_floating(dtype) ? Category::kFloating : Category::kComplex;
}

std::optional<DType> wider_integer(DType a, DType b) {
  // u8 with a signed type needs a signed type that holds both.
  if (a == DType::kUInt8 || b == DType::kUInt8) {
    const DType other = a == DType::kUInt8 ? b : a;
    return other == DType::kInt8 ? DType::kInt16 : other;
  }
  return dtype_bytes(a) >= dtype_bytes(b) ? a : b;
}

std::optional<DType> promote_two(DType a, DType b) {
  if (a == b) return a;
  const auto is_wide_unsigned = [](DType d) {
    return d == DType::kUInt16 || d == DType::kUInt32 || d == DType::kUInt64;
  };
  const Category ca = category(a);
  const Category cb = category(b);
  if (ca == Category::kComplex || cb == Category::kComplex) return std::nullopt;
  if (ca != cb) return ca > cb ? a : b;
  if (ca == Category::kInteger) {
    if (is_wide_unsigned(a) || is_wide_unsigned(b)) return std::nullopt;
    return wider_integer(a, b);
  }
  // Two half formats meet in f32.
  if (dtype_bytes(a) == dtype_bytes(b)) return DType::kFloat32;
  return dtype_bytes(a) > dtype_bytes(b) ? a : b;
}

// Over the operands of one kind; `found` tells whether there was one.
std::optional<DType> promote_kind(const std::vector<PromotionOperand>& operands, bool zero_dim,
                                  bool& found) {
  std::optional<DType> result;
  for (const PromotionOperand& operand : operands) {
    if (operand.zero_dim != zero_dim) continue;
    result = found ? promote_two(*result, operand.dtype) : operand.dtype;
    found = true;
    if (!result) return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<DType> promote(const std::vector<PromotionOperand>& operands) {
  bool has_dims = false;
  bool has_zero = false;
  const auto dims = promote_kind(operands, false, has_dims);
  const auto zero = promote_kind(operands, true, has_zero);
  if ((has_dims && !dims) || (has_zero && !zero)) return std::nullopt;
  if (!has_dims || !has_zero) return has_dims ? dims : zero;
  // A tensor without dimensions only counts when it is of a higher category.
  return category(*zero) > category(*dims) ? promote_two(*dims, *zero) : dims;
}

}  // namespace changeaware
