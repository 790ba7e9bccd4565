// Division that rounds, and remainders.
//
// OpenVINO truncates where PyTorch floors, and divides 32-bit integers in float32, so that
// quotients of large numbers are off by some units; a second division of the remainder mends that.
// Of floats, only what is exact is taken: rounding mode trunc, and divisors that are powers of two
// (x - b * floor(x / b) is then free of rounding).
// Source: PyTorch, aten/src/ATen/native/BinaryOps.cpp (the documented semantics).
#include <cmath>

#include "engine/openvino/translations/builders.h"
#include "engine/openvino/translations/integers.h"

namespace changeaware::ovn {
namespace {

struct Operands {
  Output a, b;
  bool floating;
};

bool is_power_of_two(double x) {
  int exponent = 0;
  return x != 0 && std::isfinite(x) && std::fabs(std::frexp(x, &exponent)) == 0.5 &&
         std::abs(exponent) < 100;
}

Operands operands(const OpContext& context, bool needs_exact_quotient) {
  const ov::element::Type type = context.result_type();
  if (type == ov::element::boolean) throw Refusal("bool operands");
  const bool floating = type.is_real();
  if (floating && needs_exact_quotient &&
      (context.is_tensor("other") || !is_power_of_two(context.number("other")))) {
    throw Refusal(
        "the exact quotient of floating-point numbers is only had for a divisor that is "
        "a constant power of two");
  }
  return {convert(context.tensor("self"), type), convert(context.tensor("other"), type), floating};
}

Output zero_like(const Output& x) { return convert(int_scalar(0), x.get_element_type()); }

Output floor_quotient(const Operands& o) {
  if (o.floating) return make<op::Floor>(make<op::Divide>(o.a, o.b));
  return floored_quotient(o.a, o.b);
}

Output toward_zero(const Output& x) {
  return make<op::Select>(make<op::Less>(x, zero_like(x)), make<op::Ceiling>(x),
                          make<op::Floor>(x));
}

Output trunc_quotient(const Operands& o) {
  if (o.floating) return toward_zero(make<op::Divide>(o.a, o.b));
  return truncated_quotient(o.a, o.b);
}

ov::OutputVector floor_divide(const OpContext& context) {
  return {floor_quotient(operands(context, true))};
}

ov::OutputVector divide_with_mode(const OpContext& context) {
  const std::string mode = context.text("rounding_mode");
  if (mode == "floor") return floor_divide(context);
  if (mode == "trunc") return {trunc_quotient(operands(context, false))};
  throw Refusal(fmt::format("rounding_mode \"{}\"", mode));
}

ov::OutputVector remainder(const OpContext& context) {
  const Operands o = operands(context, true);
  return {make<op::Subtract>(o.a, make<op::Multiply>(floor_quotient(o), o.b))};
}

ov::OutputVector fmod(const OpContext& context) {
  const Operands o = operands(context, true);
  return {make<op::Subtract>(o.a, make<op::Multiply>(trunc_quotient(o), o.b))};
}

bool has_mode(const Graph&, const Node& node) {
  return !std::holds_alternative<None>(node.args.back());
}

constexpr Translation kTable[] = {
    {"aten.floor_divide.default", floor_divide},
    {"aten.floor_divide.Scalar", floor_divide},
    {"aten.div.Tensor_mode", divide_with_mode, has_mode},
    {"aten.div.Scalar_mode", divide_with_mode, has_mode},
    {"aten.divide.Tensor_mode", divide_with_mode, has_mode},
    {"aten.divide.Scalar_mode", divide_with_mode, has_mode},
    {"aten.remainder.Tensor", remainder},
    {"aten.remainder.Scalar", remainder},
    {"aten.remainder.Scalar_Tensor", remainder},
    {"aten.fmod.Tensor", fmod},
    {"aten.fmod.Scalar", fmod},
};

}  // namespace

std::span<const Translation> integer_division_translations() { return kTable; }

}  // namespace changeaware::ovn
