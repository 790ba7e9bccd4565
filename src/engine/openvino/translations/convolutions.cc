// Convolutions of inputs without a batch dimension, which OpenVINO's frontend does not take. Those
// of integers are computed in float32, exact up to 2^24, as the plug-in does with a batch. Source:
// PyTorch documentation of torch.nn.functional.conv2d and conv_transpose2d.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

struct Window {
  ov::Strides strides, dilations;
  ov::CoordinateDiff begin, end;
};

size_t spatial_rank(const OpContext& context) { return context.spec_of("weight").dims.size() - 2; }

std::vector<int64_t> per_dim(const OpContext& context, std::string_view name) {
  std::vector<int64_t> values = context.integers(name);
  if (values.size() == 1) values.resize(spatial_rank(context), values[0]);
  return values;
}

// With "same" the odd element is padded at the end.
Window window_of(const OpContext& context) {
  Window w;
  const Shape weight = context.fixed_shape_of("weight");
  for (int64_t s : per_dim(context, "stride")) w.strides.push_back(static_cast<size_t>(s));
  for (int64_t d : per_dim(context, "dilation")) w.dilations.push_back(static_cast<size_t>(d));
  if (const auto* text = std::get_if<std::string>(&context.argument("padding"))) {
    for (size_t d = 0; d < w.dilations.size(); ++d) {
      const int64_t total =
          *text == "same" ? static_cast<int64_t>(w.dilations[d]) * (weight[d + 2] - 1) : 0;
      w.begin.push_back(total / 2);
      w.end.push_back(total - total / 2);
    }
    return w;
  }
  for (int64_t p : per_dim(context, "padding")) w.begin.push_back(p);
  w.end = w.begin;
  return w;
}

// [groups, rest / groups, …] of a weight, by its first dimension.
Output grouped(const Output& weight, const Shape& shape, int64_t groups) {
  std::vector<int64_t> sizes = {groups, shape[0] / groups};
  sizes.insert(sizes.end(), shape.begin() + 1, shape.end());
  return reshape(weight, sizes);
}

// Without the batch of one, plus the bias, in the result's dtype.
ov::OutputVector finished(const OpContext& context, Output y) {
  if (context.has("bias")) {
    std::vector<int64_t> sizes(spatial_rank(context) + 2, 1);
    sizes[1] = -1;
    y = make<op::Add>(y, reshape(convert(context.tensor("bias"), ov::element::f32), sizes));
  }
  y = make<op::Squeeze>(y, int_list({0}));
  if (context.result_type().is_real()) return {y};
  y = make<op::Round>(y, op::Round::RoundMode::HALF_TO_EVEN);
  return {convert(y, context.result_type())};
}

Output batch_of_one(const OpContext& context) {
  return make<op::Unsqueeze>(convert(context.tensor("input"), ov::element::f32), int_list({0}));
}

ov::OutputVector convolution(const OpContext& context) {
  const Window w = window_of(context);
  const int64_t groups = context.integer("groups");
  const Output x = batch_of_one(context);
  const Output weight = convert(context.tensor("weight"), ov::element::f32);
  if (groups == 1) {
    return finished(context,
                    make<op::Convolution>(x, weight, w.strides, w.begin, w.end, w.dilations));
  }
  const Output filters = grouped(weight, context.fixed_shape_of("weight"), groups);
  return finished(context,
                  make<op::GroupConvolution>(x, filters, w.strides, w.begin, w.end, w.dilations));
}

ov::OutputVector transposed(const OpContext& context) {
  const Window w = window_of(context);
  const int64_t groups = context.integer("groups");
  ov::CoordinateDiff extra;
  for (int64_t p : per_dim(context, "output_padding")) extra.push_back(p);
  const Output x = batch_of_one(context);
  const Output weight = convert(context.tensor("weight"), ov::element::f32);
  const auto pads = ov::op::PadType::EXPLICIT;
  if (groups == 1) {
    return finished(context, make<op::ConvolutionBackpropData>(x, weight, w.strides, w.begin, w.end,
                                                               w.dilations, pads, extra));
  }
  const Output filters = grouped(weight, context.fixed_shape_of("weight"), groups);
  return finished(context, make<op::GroupConvolutionBackpropData>(x, filters, w.strides, w.begin,
                                                                  w.end, w.dilations, pads, extra));
}

bool is_unbatched(const Graph& graph, const Node& node) {
  const auto rank = [&](size_t i) {
    const auto* ref = std::get_if<ValueRef>(&node.args.at(i));
    return ref == nullptr ? size_t{0} : graph.value(ref->id).spec.dims.size();
  };
  return rank(0) > 0 && rank(0) + 1 == rank(1);
}

constexpr Translation kTable[] = {
    {"aten.conv1d.default", convolution, is_unbatched},
    {"aten.conv1d.padding", convolution, is_unbatched},
    {"aten.conv2d.default", convolution, is_unbatched},
    {"aten.conv2d.padding", convolution, is_unbatched},
    {"aten.conv3d.default", convolution, is_unbatched},
    {"aten.conv3d.padding", convolution, is_unbatched},
    {"aten.conv_transpose1d.default", transposed, is_unbatched},
    {"aten.conv_transpose2d.input", transposed, is_unbatched},
    {"aten.conv_transpose3d.input", transposed, is_unbatched},
};

}  // namespace

std::span<const Translation> convolution_translations() { return kTable; }

}  // namespace changeaware::ovn
