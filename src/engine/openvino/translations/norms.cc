// The normalisations of core ATen, which name their statistics as results.
// Source: PyTorch documentation of LayerNorm, GroupNorm and BatchNorm.
#include <numeric>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

struct Normalised {
  Output value, mean, reciprocal_deviation;
};

Normalised normalise_over(const Output& x, const std::vector<int64_t>& axes, double eps) {
  const Output dims = int_list(axes);
  const Output mean = make<op::ReduceMean>(x, dims, true);
  const Output centred = make<op::Subtract>(x, mean);
  const Output variance = make<op::ReduceMean>(make<op::Multiply>(centred, centred), dims, true);
  const Output shifted = make<op::Add>(variance, scalar(ov::element::f32, static_cast<float>(eps)));
  const Output value =
      make<op::MVN>(x, dims, true, static_cast<float>(eps), ov::op::MVNEpsMode::INSIDE_SQRT);
  return {value, mean, make<op::Divide>(scalar(ov::element::f32, 1.0f), make<op::Sqrt>(shifted))};
}

Output scaled(Output value, const OpContext& context, const std::vector<int64_t>& affine_shape) {
  const auto in_place = [&](std::string_view name) {
    const Output parameter = context.tensor(name);
    return affine_shape.empty() ? parameter : reshape(parameter, affine_shape);
  };
  if (context.has("weight")) value = make<op::Multiply>(value, in_place("weight"));
  if (context.has("bias")) value = make<op::Add>(value, in_place("bias"));
  return value;
}

ov::OutputVector native_layer_norm(const OpContext& context) {
  const auto rank = static_cast<int64_t>(context.spec_of("input").dims.size());
  const auto normalised = static_cast<int64_t>(context.integers("normalized_shape").size());
  std::vector<int64_t> axes(static_cast<size_t>(normalised));
  std::iota(axes.begin(), axes.end(), rank - normalised);
  const Normalised n = normalise_over(context.tensor("input"), axes, context.number("eps"));
  return {scaled(n.value, context, {}), n.mean, n.reciprocal_deviation};
}

ov::OutputVector native_group_norm(const OpContext& context) {
  const Shape shape = context.fixed_shape_of("input");
  const int64_t groups = context.integer("group");
  const Output grouped = reshape(context.tensor("input"), {shape.at(0), groups, -1});
  const Normalised n = normalise_over(grouped, {2}, context.number("eps"));
  std::vector<int64_t> affine(shape.size(), 1);
  affine.at(1) = shape.at(1);
  const std::vector<int64_t> per_group{shape[0], groups};
  return {scaled(reshape(n.value, shape), context, affine), reshape(n.mean, per_group),
          reshape(n.reciprocal_deviation, per_group)};
}

// In evaluation mode; the two other results are empty.
ov::OutputVector native_batch_norm(const OpContext& context) {
  const size_t rank = context.spec_of("input").dims.size();
  std::vector<int64_t> per_channel(rank, 1);
  per_channel.at(1) = -1;
  const Output mean = reshape(context.tensor("running_mean"), per_channel);
  const Output variance = reshape(context.tensor("running_var"), per_channel);
  const Output deviation = make<op::Sqrt>(
      make<op::Add>(variance, scalar(ov::element::f32, static_cast<float>(context.number("eps")))));
  const Output value =
      make<op::Divide>(make<op::Subtract>(context.tensor("input"), mean), deviation);
  const Output empty =
      op::Constant::create(ov::element::f32, ov::Shape{0}, std::vector<float>{})->output(0);
  return {scaled(value, context, per_channel), empty, empty};
}

constexpr Translation kTable[] = {
    {"aten.native_layer_norm.default", native_layer_norm},
    {"aten.native_group_norm.default", native_group_norm},
    {"aten._native_batch_norm_legit_no_training.default", native_batch_norm},
};

}  // namespace

std::span<const Translation> norm_translations() { return kTable; }

}  // namespace changeaware::ovn
