// Operators of integers and bool that OpenVINO computes in another dtype than PyTorch.
#include <cmath>
#include <numbers>

#include "engine/openvino/translations/builders.h"
#include "engine/openvino/translations/integers.h"

namespace changeaware::ovn {
namespace {

bool is_tensor_of(const Graph& graph, const Argument& a, bool (*matches)(DType)) {
  const auto* ref = std::get_if<ValueRef>(&a);
  return ref != nullptr && graph.value(ref->id).kind == ValueKind::kTensor &&
         matches(graph.value(ref->id).spec.dtype);
}

bool integral(DType dtype) { return !is_floating(dtype); }
bool boolean(DType dtype) { return dtype == DType::kBool; }

bool of_integers(const Graph& graph, const Node& node) {
  return is_tensor_of(graph, node.args.at(0), integral);
}
bool of_bool(const Graph& graph, const Node& node) {
  return is_tensor_of(graph, node.args.at(0), boolean);
}
bool result_is(const Graph& graph, const Node& node, bool (*matches)(DType)) {
  const ValueId id = node.outputs.at(0);
  return id != kNoId && graph.value(id).kind == ValueKind::kTensor &&
         matches(graph.value(id).spec.dtype);
}
bool makes_integers(const Graph& graph, const Node& node) {
  return result_is(graph, node, integral);
}
bool makes_bool(const Graph& graph, const Node& node) { return result_is(graph, node, boolean); }

Output floating(const OpContext& context, std::string_view name) {
  return convert(context.tensor(name), ov::element::f32);
}

ov::OutputVector log_sum_exp(const OpContext& context) {
  const Output x = floating(context, "self");
  const size_t rank = context.spec_of("self").dims.size();
  if (rank == 0) return {x};
  const Output axes = int_list(reduced_dims(context, "dim", rank));
  const bool keep = context.flag("keepdim");
  const Output largest = make<op::ReduceMax>(x, axes, true);
  const Output sum =
      make<op::ReduceSum>(make<op::Exp>(make<op::Subtract>(x, largest)), axes, keep);
  const Output base = keep ? largest : make<op::ReduceMax>(x, axes, false);
  return {make<op::Add>(make<op::Log>(sum), base)};
}

// Integers have no negative zero, nor NaN.
ov::OutputVector atan2(const OpContext& context) {
  const Output y = floating(context, "self");
  const Output x = floating(context, "other");
  const auto pi = std::numbers::pi_v<float>;
  const auto number = [](float value) { return scalar(ov::element::f32, value); };
  const Output zero = number(0);
  const Output angle = make<op::Atan>(make<op::Divide>(y, x));
  const Output turn = make<op::Select>(make<op::Less>(y, zero), number(-pi), number(pi));
  const Output left = make<op::Select>(make<op::Less>(x, zero), make<op::Add>(angle, turn), angle);
  const Output half = make<op::Select>(make<op::Less>(y, zero), number(-pi / 2), number(pi / 2));
  const Output upright = make<op::Select>(make<op::Equal>(y, zero), zero, half);
  return {make<op::Select>(make<op::Equal>(x, zero), upright, left)};
}

bool atan2_of_integers(const Graph& graph, const Node& node) {
  return is_tensor_of(graph, node.args.at(0), integral) &&
         is_tensor_of(graph, node.args.at(1), integral);
}

// By squaring, bit after bit of the exponent. Above 63 only -1, 0 and 1 have powers in int64, and
// those depend on the exponent's last bit alone.
ov::OutputVector power(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  if (type == ov::element::boolean) throw Refusal("bool operands");
  const auto constant = [&](int64_t v) { return convert(int_scalar(v), type); };
  const Output base = convert(context.tensor("self"), type);
  const Output exponent = convert(context.tensor("exponent"), type);
  const Output zero = constant(0), one = constant(1);
  const auto odd = [&](const Output& e) {
    return make<op::NotEqual>(make<op::BitwiseAnd>(e, one), zero);
  };
  const Output large = make<op::Add>(constant(62), make<op::BitwiseAnd>(exponent, one));
  Output rest = make<op::Select>(make<op::Greater>(exponent, constant(63)), large, exponent);
  Output result = make<op::Select>(make<op::Equal>(make<op::Add>(base, exponent),
                                                   make<op::Add>(base, exponent)), one, one);
  Output square = base;
  for (int bit = 0; bit < 6; ++bit) {
    result = make<op::Select>(odd(rest), make<op::Multiply>(result, square), result);
    square = make<op::Multiply>(square, square);
    rest = truncated_quotient(rest, constant(2));
  }
  const Output minus = make<op::Select>(odd(exponent), constant(-1), one);
  const Output inverse = make<op::Select>(
      make<op::Equal>(base, one), one,
      make<op::Select>(make<op::Equal>(base, constant(-1)), minus, zero));
  return {make<op::Select>(make<op::Less>(exponent, zero), inverse, result)};
}

ov::OutputVector same(const OpContext& context) { return {context.tensor("self")}; }

ov::OutputVector square(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  return {make<op::Multiply>(x, x)};
}

// The program says that the result is of integers: then so is the factor.
ov::OutputVector scaled(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  const auto factor = static_cast<int64_t>(std::trunc(context.number("other")));
  return {make<op::Multiply>(x, convert(int_scalar(factor), context.result_type()))};
}

bool scales_by_a_fraction(const Graph& graph, const Node& node) {
  return makes_integers(graph, node) && !makes_bool(graph, node) &&
         std::holds_alternative<double>(node.args.at(1));
}

ov::OutputVector larger_bool(const OpContext& context) {
  return {make<op::LogicalOr>(is_nonzero(context.tensor("self")),
                              is_nonzero(context.tensor("min")))};
}
ov::OutputVector smaller_bool(const OpContext& context) {
  return {make<op::LogicalAnd>(is_nonzero(context.tensor("self")),
                               is_nonzero(context.tensor("max")))};
}

ov::OutputVector bounded_bool(const OpContext& context) {
  Output x = is_nonzero(context.tensor("self"));
  if (context.has("min")) x = make<op::LogicalOr>(x, is_nonzero(context.tensor("min")));
  if (context.has("max")) x = make<op::LogicalAnd>(x, is_nonzero(context.tensor("max")));
  return {x};
}

ov::OutputVector both(const OpContext& context) {
  return {make<op::LogicalAnd>(is_nonzero(context.tensor("self")),
                               is_nonzero(context.tensor("other")))};
}
ov::OutputVector either(const OpContext& context) {
  return {make<op::LogicalOr>(is_nonzero(context.tensor("self")),
                              is_nonzero(context.tensor("other")))};
}

bool adds_bool(const Graph& graph, const Node& node) {
  const int alpha = node.op->arg_index("alpha");
  return makes_bool(graph, node) && alpha >= 0 &&
         (node.args[static_cast<size_t>(alpha)] == Argument(int64_t{1}) ||
          node.args[static_cast<size_t>(alpha)] == Argument(true));
}

constexpr Translation kTable[] = {
    {"aten.logsumexp.default", log_sum_exp, of_integers},
    {"aten.atan2.default", atan2, atan2_of_integers},
    {"aten.pow.Tensor_Tensor", power, makes_integers},
    {"aten.pow.Scalar", power, makes_integers},
    {"aten.sign.default", same, of_bool},
    {"aten.square.default", square, of_bool},
    {"aten.mul.Scalar", scaled, scales_by_a_fraction},
    {"aten.mul.Tensor", both, makes_bool},
    {"aten.add.Tensor", either, adds_bool},
    {"aten.clamp_min.Tensor", larger_bool, makes_bool},
    {"aten.clamp_max.Tensor", smaller_bool, makes_bool},
    {"aten.clamp.Tensor", bounded_bool, makes_bool},
};

}  // namespace

std::span<const Translation> integer_form_translations() { return kTable; }

}  // namespace changeaware::ovn
