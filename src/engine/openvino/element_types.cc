#include "engine/openvino/element_types.h"

#include <array>

namespace changeaware::ovn {
namespace {

struct Line {
  DType dtype;
  ov::element::Type_t element;
};

constexpr auto kNone = ov::element::Type_t::dynamic;
// In the order of DType.
constexpr std::array kLines = {
    Line{DType::kUInt8, ov::element::Type_t::u8},
    Line{DType::kInt8, ov::element::Type_t::i8},
    Line{DType::kInt16, ov::element::Type_t::i16},
    Line{DType::kInt32, ov::element::Type_t::i32},
    Line{DType::kInt64, ov::element::Type_t::i64},
    Line{DType::kFloat16, ov::element::Type_t::f16},
    Line{DType::kFloat32, ov::element::Type_t::f32},
    Line{DType::kFloat64, ov::element::Type_t::f64},
    Line{DType::kComplex32, kNone},
    Line{DType::kComplex64, kNone},
    Line{DType::kComplex128, kNone},
    Line{DType::kBool, ov::element::Type_t::boolean},
    Line{DType::kBFloat16, ov::element::Type_t::bf16},
    Line{DType::kUInt16, ov::element::Type_t::u16},
    Line{DType::kUInt32, ov::element::Type_t::u32},
    Line{DType::kUInt64, ov::element::Type_t::u64},
};

const Line& line_of(DType dtype) { return kLines[static_cast<size_t>(dtype)]; }

}  // namespace

std::optional<ov::element::Type> element_type(DType dtype) {
  const Line& line = line_of(dtype);
  if (line.element == kNone) return std::nullopt;
  return ov::element::Type(line.element);
}

}  // namespace changeaware::ovn
