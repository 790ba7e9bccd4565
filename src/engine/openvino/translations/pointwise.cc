// Pointwise operators that OpenVINO lacks, or answers differently for integers and bool.
#include <limits>
#include <span>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

const TensorSpec* spec_of_first(const Graph& graph, const Node& node) {
  const auto* ref = std::get_if<ValueRef>(&node.args.at(0));
  return ref == nullptr ? nullptr : &graph.value(ref->id).spec;
}

bool first_is_integral(const Graph& graph, const Node& node) {
  const TensorSpec* spec = spec_of_first(graph, node);
  return spec != nullptr && !is_floating(spec->dtype);
}

bool first_is_bool(const Graph& graph, const Node& node) {
  const TensorSpec* spec = spec_of_first(graph, node);
  return spec != nullptr && spec->dtype == DType::kBool;
}

bool result_is_integral(const Graph& graph, const Node& node) {
  return node.outputs.at(0) != kNoId && !is_floating(graph.value(node.outputs[0]).spec.dtype);
}

ov::OutputVector identity(const OpContext& context) { return {context.tensor("self")}; }

ov::OutputVector trunc(const OpContext& context) {
  const Output x = context.tensor("self");
  if (!x.get_element_type().is_real()) return {x};
  const Output zero = scalar(x.get_element_type(), 0.0f);
  return {make<op::Select>(make<op::Less>(x, zero), make<op::Ceiling>(x), make<op::Floor>(x))};
}

// An integer is never NaN or infinite.
ov::OutputVector never(const OpContext& context) {
  const Output x = context.tensor("self");
  return {make<op::NotEqual>(x, x)};
}
ov::OutputVector always(const OpContext& context) {
  const Output x = context.tensor("self");
  return {make<op::Equal>(x, x)};
}

ov::OutputVector bool_maximum(const OpContext& context) {
  return {
      make<op::LogicalOr>(is_nonzero(context.tensor("self")), is_nonzero(context.tensor("other")))};
}
ov::OutputVector bool_minimum(const OpContext& context) {
  return {make<op::LogicalAnd>(is_nonzero(context.tensor("self")),
                               is_nonzero(context.tensor("other")))};
}

bool both_are_bool(const Graph& graph, const Node& node) {
  return first_is_bool(graph, node) && graph.value(node.outputs.at(0)).spec.dtype == DType::kBool;
}

// By squaring, in integers: OpenVINO's power of integers goes through float32.
ov::OutputVector integer_power(const OpContext& context) {
  int64_t exponent = context.integer("exponent");
  if (exponent < 0) throw Refusal("a negative exponent of an integer");
  const ov::element::Type type = context.result_type();
  if (type == ov::element::boolean) throw Refusal("bool operands");
  const Output x = convert(context.tensor("self"), type);
  // 1 in the shape of x.
  Output result = convert(make<op::Equal>(x, x), type);
  Output square = x;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = make<op::Multiply>(result, square);
    if (exponent > 1) square = make<op::Multiply>(square, square);
  }
  return {result};
}

ov::OutputVector cumulative_sum(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  const size_t rank = context.spec_of("self").dims.size();
  if (rank == 0) return {x};
  return {make<op::CumSum>(x, int_scalar(wrap_dim(context.integer("dim"), rank)))};
}

ov::OutputVector choose(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  return {make<op::Select>(is_nonzero(context.tensor("condition")),
                           convert(context.tensor("self"), type),
                           convert(context.tensor("other"), type))};
}

// `result` where x is a number, x itself where it is NaN: OpenVINO loses NaN in these.
Output keeping_nan(const Output& x, const Output& result) {
  if (!x.get_element_type().is_real()) return result;
  return make<op::Select>(make<op::Equal>(x, x), result, x);
}

ov::OutputVector exponential(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  return {keeping_nan(x, make<op::Exp>(x))};
}

ov::OutputVector sign(const OpContext& context) {
  const Output x = context.tensor("self");
  const Output zero = scalar(x.get_element_type(), 0.0f);
  return {make<op::Select>(make<op::Equal>(x, x), make<op::Sign>(x), zero)};
}

template <class Op>
ov::OutputVector extreme_of_two(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  const Output a = convert(context.tensor("self"), type);
  const Output b = convert(context.tensor("other"), type);
  return {keeping_nan(a, keeping_nan(b, make<Op>(a, b)))};
}

// NaN stays; a bound above the other wins, as in PyTorch: min(max(x, low), high).
ov::OutputVector clamp(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  const Output x = convert(context.tensor("self"), type);
  Output y = x;
  if (context.has("min")) y = make<op::Maximum>(y, convert(context.tensor("min"), type));
  if (context.has("max")) y = make<op::Minimum>(y, convert(context.tensor("max"), type));
  return {keeping_nan(x, y)};
}

ov::OutputVector clamp_min(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  const Output bound = convert(context.tensor("min"), context.result_type());
  return {keeping_nan(x, make<op::Maximum>(x, bound))};
}
ov::OutputVector clamp_max(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  const Output bound = convert(context.tensor("max"), context.result_type());
  return {keeping_nan(x, make<op::Minimum>(x, bound))};
}

bool first_is_floating(const Graph& graph, const Node& node) {
  const TensorSpec* spec = spec_of_first(graph, node);
  return spec != nullptr && is_floating(spec->dtype);
}
bool result_is_floating(const Graph& graph, const Node& node) {
  return !result_is_integral(graph, node);
}

// OpenVINO's ignores beta and threshold.
ov::OutputVector softplus(const OpContext& context) {
  const Output x = context.tensor("self");
  const auto beta = static_cast<float>(context.number("beta"));
  const auto threshold = static_cast<float>(context.number("threshold"));
  const ov::element::Type type = x.get_element_type();
  const Output scaled = make<op::Multiply>(x, scalar(type, beta));
  const Output soft = make<op::Divide>(make<op::SoftPlus>(scaled), scalar(type, beta));
  return {make<op::Select>(make<op::Greater>(scaled, scalar(type, threshold)), x, soft)};
}

Output polynomial(const Output& x, std::span<const float> coefficients) {
  Output y = scalar(ov::element::f32, coefficients[0]);
  for (float c : coefficients.subspan(1)) {
    y = make<op::Add>(make<op::Multiply>(y, x), scalar(ov::element::f32, c));
  }
  return y;
}

// OpenVINO loses precision near -1 and 1.
// Source: Giles, "Approximating the erfinv function", GPU Computing Gems, 2010.
ov::OutputVector inverse_erf(const OpContext& context) {
  constexpr float kCentre[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                               -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                               -0.00417768164f,  0.246640727f,    1.50140941f};
  constexpr float kTails[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                              -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                              0.00943887047f,   1.00167406f,     2.83297682f};
  const Output x = convert(context.tensor("self"), context.result_type());
  const auto number = [](float value) { return scalar(ov::element::f32, value); };
  const Output one = number(1);
  const Output product = make<op::Multiply>(make<op::Subtract>(one, x), make<op::Add>(one, x));
  const Output w = make<op::Negative>(make<op::Log>(product));
  const Output centre = polynomial(make<op::Subtract>(w, number(2.5f)), kCentre);
  const Output tails = polynomial(make<op::Subtract>(make<op::Sqrt>(w), number(3)), kTails);
  const Output y =
      make<op::Multiply>(x, make<op::Select>(make<op::Less>(w, number(5)), centre, tails));
  const Output size = make<op::Abs>(x);
  const float infinity = std::numeric_limits<float>::infinity();
  const Output ends =
      make<op::Select>(make<op::Equal>(size, one), make<op::Multiply>(x, number(infinity)), y);
  const Output inside = make<op::LessEqual>(size, one);
  return {make<op::Select>(inside, ends, number(std::numeric_limits<float>::quiet_NaN()))};
}

bool empty_dims(const Graph&, const Node& node) {
  const auto* dims = std::get_if<std::vector<int64_t>>(&node.args.at(1));
  return dims != nullptr && dims->empty();
}

constexpr Translation kTable[] = {
    {"aten.trunc.default", trunc},
    {"aten.fix.default", trunc},
    {"aten.isnan.default", never, first_is_integral},
    {"aten.isinf.default", never, first_is_integral},
    {"aten.isfinite.default", always, first_is_integral},
    {"aten.maximum.default", bool_maximum, both_are_bool},
    {"aten.minimum.default", bool_minimum, both_are_bool},
    {"aten.max.other", bool_maximum, both_are_bool},
    {"aten.min.other", bool_minimum, both_are_bool},
    {"aten.pow.Tensor_Scalar", integer_power, result_is_integral},
    {"aten.cumsum.default", cumulative_sum},
    {"aten.where.self", choose},
    {"aten.where.ScalarOther", choose},
    {"aten.where.ScalarSelf", choose},
    {"aten.where.Scalar", choose},
    {"aten.maximum.default", extreme_of_two<op::Maximum>, result_is_floating},
    {"aten.minimum.default", extreme_of_two<op::Minimum>, result_is_floating},
    {"aten.max.other", extreme_of_two<op::Maximum>, result_is_floating},
    {"aten.min.other", extreme_of_two<op::Minimum>, result_is_floating},
    {"aten.clamp.default", clamp, result_is_floating},
    {"aten.clamp.Tensor", clamp, result_is_floating},
    {"aten.clamp_min.default", clamp_min, result_is_floating},
    {"aten.clamp_max.default", clamp_max, result_is_floating},
    {"aten.exp.default", exponential},
    {"aten.sign.default", sign, first_is_floating},
    {"aten.softplus.default", softplus},
    {"aten.squeeze.dims", identity, empty_dims},
    {"aten.erfinv.default", inverse_erf},
    {"aten.special_erfinv.default", inverse_erf},
};

}  // namespace

std::span<const Translation> pointwise_translations() { return kTable; }

}  // namespace changeaware::ovn
