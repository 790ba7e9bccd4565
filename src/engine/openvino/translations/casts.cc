// Changes of dtype. The result's dtype is known from the program, so the many overloads of `to` and
// their defaults need no reading.
//
// To bool is "not zero". To a narrower integer PyTorch wraps and OpenVINO saturates: refused unless
// every value fits. From floating point, values outside the integer's range are undefined in both.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

// Every value of `from` is a value of `to`, or int64 that is computed in 32 bits anyway.
bool holds_all(ov::element::Type from, ov::element::Type to) {
  if (from == ov::element::boolean || to == ov::element::i32 || to == ov::element::i64) return true;
  if (from == to) return true;
  return from == ov::element::u8 ? to == ov::element::i16
                                 : from == ov::element::i8 && to == ov::element::i16;
}

ov::OutputVector cast(const OpContext& context) {
  const Output x = context.tensor("self");
  const ov::element::Type from = x.get_element_type();
  const ov::element::Type to = context.result_type();
  if (to == ov::element::boolean) return {is_nonzero(x)};
  if (from.is_integral() && to.is_integral() && !holds_all(from, to)) {
    throw Refusal(
        fmt::format("a cast from {} to {}, which wraps", from.get_type_name(), to.get_type_name()));
  }
  return {convert(x, to)};
}

constexpr Translation kTable[] = {
    {"aten.to.dtype", cast},        {"aten.to.dtype_layout", cast}, {"aten.to.device", cast},
    {"aten.to.other", cast},        {"aten.to.prim_dtype", cast},   {"aten._to_copy.default", cast},
    {"aten.type_as.default", cast},
};

}  // namespace

std::span<const Translation> cast_translations() { return kTable; }

}  // namespace changeaware::ovn
