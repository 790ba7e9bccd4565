// Changes of dtype. The result's dtype is known from the program, so the many overloads of `to` and
// their defaults need no reading.
//
// To bool is "not zero". To a narrower integer PyTorch wraps and OpenVINO saturates, so the low
// bits are taken first. From floating point PyTorch goes through a wide integer; values outside of
// that are undefined in both.
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

bool is_narrow(ov::element::Type type) {
  return type == ov::element::u8 || type == ov::element::i8 || type == ov::element::i16;
}

// Modulo 2^bits.
Output wrapped(const Output& x, ov::element::Type to) {
  const int64_t range = int64_t{1} << to.bitwidth();
  const auto constant = [](int64_t v) { return scalar<int64_t>(ov::element::i32, v); };
  const Output low = make<op::BitwiseAnd>(convert(x, ov::element::i32), constant(range - 1));
  if (!to.is_signed()) return convert(low, to);
  const Output negative = make<op::Greater>(low, constant(range / 2 - 1));
  return convert(make<op::Select>(negative, make<op::Subtract>(low, constant(range)), low), to);
}

ov::OutputVector cast(const OpContext& context) {
  const Output x = context.tensor("self");
  const ov::element::Type from = x.get_element_type();
  const ov::element::Type to = context.result_type();
  if (to == ov::element::boolean) return {is_nonzero(x)};
  if (is_narrow(to) && !holds_all(from, to)) return {wrapped(x, to)};
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
