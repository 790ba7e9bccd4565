// Standard deviation and variance.
//
// OpenVINO takes an absent correction as 0 (PyTorch: 1), truncates a fractional one, and gives 0
// for no elements (PyTorch: NaN).
// Source: PyTorch documentation of torch.var: sum((x - mean)^2) / max(0, N - correction).
#include <algorithm>
#include <limits>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

struct Moments {
  Output variance, mean;
};

double correction_of(const OpContext& context) {
  if (context.node().op->arg_index("correction") >= 0) {
    return context.has("correction") ? context.number("correction") : 1.0;
  }
  return context.flag("unbiased") ? 1.0 : 0.0;
}

Output filled(const Shape& shape, float value) {
  return op::Constant::create(ov::element::f32, ov::Shape(shape.begin(), shape.end()),
                              std::vector<float>{value})
      ->output(0);
}

Moments moments(const OpContext& context) {
  const TensorSpec& spec = context.spec_of("self");
  const auto dims = reduced_dims(context, "dim", spec.dims.size());
  const bool keep = context.has("keepdim") && context.flag("keepdim");
  int64_t count = 1;
  for (int64_t d : dims) {
    if (!spec.dims[static_cast<size_t>(d)].fixed()) throw Refusal("a symbolic number of elements");
    count *= spec.dims[static_cast<size_t>(d)].size;
  }
  if (count == 0) {
    const Output nan =
        filled(context.fixed_result_shape(), std::numeric_limits<float>::quiet_NaN());
    return {nan, nan};
  }
  const Output x = context.tensor("self");
  const Output axes = int_list(dims);
  const Output centred = make<op::Subtract>(x, make<op::ReduceMean>(x, axes, true));
  const Output sum = make<op::ReduceSum>(make<op::Multiply>(centred, centred), axes, keep);
  const double divisor = std::max(0.0, static_cast<double>(count) - correction_of(context));
  return {make<op::Divide>(sum, scalar(ov::element::f32, static_cast<float>(divisor))),
          make<op::ReduceMean>(x, axes, keep)};
}

ov::OutputVector variance(const OpContext& context) { return {moments(context).variance}; }
ov::OutputVector deviation(const OpContext& context) {
  return {make<op::Sqrt>(moments(context).variance)};
}
ov::OutputVector variance_and_mean(const OpContext& context) {
  const Moments m = moments(context);
  return {m.variance, m.mean};
}
ov::OutputVector deviation_and_mean(const OpContext& context) {
  const Moments m = moments(context);
  return {make<op::Sqrt>(m.variance), m.mean};
}

constexpr Translation kTable[] = {
    {"aten.std.default", deviation},
    {"aten.std.dim", deviation},
    {"aten.std.correction", deviation},
    {"aten.var.default", variance},
    {"aten.var.dim", variance},
    {"aten.var.correction", variance},
    {"aten.std_mean.default", deviation_and_mean},
    {"aten.std_mean.dim", deviation_and_mean},
    {"aten.std_mean.correction", deviation_and_mean},
    {"aten.var_mean.default", variance_and_mean},
    {"aten.var_mean.dim", variance_and_mean},
    {"aten.var_mean.correction", variance_and_mean},
};

}  // namespace

std::span<const Translation> statistics_translations() { return kTable; }

}  // namespace changeaware::ovn
