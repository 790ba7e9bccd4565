// Operators of integers and bool that OpenVINO computes in another dtype than PyTorch.
#include <cmath>
#include <numbers>
#include <openvino/opsets/opset15.hpp>

#include "engine/openvino/translations/builders.h"

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
  const Output sum = make<op::ReduceSum>(make<op::Exp>(make<op::Subtract>(x, largest)), axes, keep);
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

// Ends a chain of elementwise operations, which the plug-in would otherwise run as one, in float32
// as soon as one of them is a selection or a comparison.
Output apart(const Output& x) {
  const Output wide = make<op::Unsqueeze>(x, int_list({-1}));
  return make<op::Squeeze>(make<op::CumSum>(wide, int_scalar(-1)), int_list({-1}));
}

// `a` where `choice` is 1, `b` where it is 0, in integers throughout.
Output chosen(const Output& choice, const Output& a, const Output& b) {
  return make<op::Add>(b, make<op::Multiply>(choice, make<op::Subtract>(a, b)));
}

// By squaring, bit after bit of the exponent. Above 63 only -1, 0 and 1 have powers in int64, and
// those depend on the exponent's last bit alone; so do the powers with negative exponents.
ov::OutputVector power(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  if (type == ov::element::boolean) throw Refusal("bool operands");
  const auto constant = [&](int64_t v) { return convert(int_scalar(v), type); };
  const auto truth = [&](const Output& x) { return apart(convert(x, type)); };
  const Output base = convert(context.tensor("self"), type);
  const Output exponent = convert(context.tensor("exponent"), type);
  const Output zero = constant(0), one = constant(1);
  const Output odd = make<op::BitwiseAnd>(exponent, one);
  const Output negative = truth(make<op::Less>(exponent, zero));
  const Output unit =
      truth(make<op::LogicalOr>(make<op::Equal>(base, one), make<op::Equal>(base, constant(-1))));
  const Output outside = truth(make<op::LogicalOr>(make<op::Less>(exponent, zero),
                                                   make<op::Greater>(exponent, constant(63))));
  const Output bounded = chosen(outside, make<op::Add>(constant(62), odd), exponent);
  Output square = chosen(negative, make<op::Multiply>(base, unit), base);
  Output result = one;
  for (int bit = 0; bit < 6; ++bit) {
    const Output shifted = make<ov::op::v15::BitwiseRightShift>(bounded, constant(bit));
    const Output set = make<op::BitwiseAnd>(shifted, one);
    result = make<op::Multiply>(result, chosen(set, square, one));
    square = make<op::Multiply>(square, square);
  }
  return {result};
}

ov::OutputVector same(const OpContext& context) { return {context.tensor("self")}; }

ov::OutputVector square(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  return {make<op::Multiply>(x, x)};
}

ov::OutputVector larger_bool(const OpContext& context) {
  return {
      make<op::LogicalOr>(is_nonzero(context.tensor("self")), is_nonzero(context.tensor("min")))};
}
ov::OutputVector smaller_bool(const OpContext& context) {
  return {
      make<op::LogicalAnd>(is_nonzero(context.tensor("self")), is_nonzero(context.tensor("max")))};
}

ov::OutputVector both(const OpContext& context) {
  return {make<op::LogicalAnd>(is_nonzero(context.tensor("self")),
                               is_nonzero(context.tensor("other")))};
}
ov::OutputVector either(const OpContext& context) {
  return {
      make<op::LogicalOr>(is_nonzero(context.tensor("self")), is_nonzero(context.tensor("other")))};
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
    {"aten.mul.Tensor", both, makes_bool},
    {"aten.add.Tensor", either, adds_bool},
    {"aten.clamp_min.Tensor", larger_bool, makes_bool},
    {"aten.clamp_max.Tensor", smaller_bool, makes_bool},
};

}  // namespace

std::span<const Translation> integer_form_translations() { return kTable; }

}  // namespace changeaware::ovn
