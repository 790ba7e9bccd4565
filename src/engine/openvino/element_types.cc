#include "engine/openvino/element_types.h"

#include <array>

namespace changeaware::ovn {
namespace {

struct Line {
  DType dtype;
  ov::element::Type_t element;
  int scalar_type;
};

constexpr auto kNone = ov::element::Type_t::dynamic;
// In the order of DType.
constexpr std::array kLines = {
    Line{DType::kUInt8, ov::element::Type_t::u8, 0},
    Line{DType::kInt8, ov::element::Type_t::i8, 1},
    Line{DType::kInt16, ov::element::Type_t::i16, 2},
    Line{DType::kInt32, ov::element::Type_t::i32, 3},
    Line{DType::kInt64, ov::element::Type_t::i64, 4},
    Line{DType::kFloat16, ov::element::Type_t::f16, 5},
    Line{DType::kFloat32, ov::element::Type_t::f32, 6},
    Line{DType::kFloat64, ov::element::Type_t::f64, 7},
    Line{DType::kComplex32, kNone, 8},
    Line{DType::kComplex64, kNone, 9},
    Line{DType::kComplex128, kNone, 10},
    Line{DType::kBool, ov::element::Type_t::boolean, 11},
    Line{DType::kBFloat16, ov::element::Type_t::bf16, 15},
    Line{DType::kUInt16, ov::element::Type_t::u16, 27},
    Line{DType::kUInt32, ov::element::Type_t::u32, 28},
    Line{DType::kUInt64, ov::element::Type_t::u64, 29},
};

const Line& line_of(DType dtype) { return kLines[static_cast<size_t>(dtype)]; }

}  // namespace

std::optional<ov::element::Type> element_type(DType dtype) {
  const Line& line = line_of(dtype);
  if (line.element == kNone) return std::nullopt;
  return ov::element::Type(line.element);
}

int64_t scalar_type_number(DType dtype) { return line_of(dtype).scalar_type; }

}  // namespace changeaware::ovn
