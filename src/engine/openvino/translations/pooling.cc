// Averages over windows with what OpenVINO's pooling does not follow: ceil_mode, divisor_override,
// integers. A window's divisor depends on its place only, so the quotients by the divisors are one
// multiplication by (or division by) a constant.
// Source: PyTorch documentation of torch.nn.AvgPool2d.
#include <algorithm>

#include "engine/openvino/translations/builders.h"
#include "engine/openvino/translations/integers.h"

namespace changeaware::ovn {
namespace {

constexpr int64_t kLargestIntegerWindow = 512;  // of as many slices an integer sum is made

struct Axis {
  int64_t extent, kernel, stride, padding, outputs;

  int64_t begin(int64_t i) const { return i * stride - padding; }
  int64_t end(int64_t i) const { return std::min(begin(i) + kernel, extent + padding); }
  int64_t inside(int64_t i) const {
    return std::min(end(i), extent) - std::max<int64_t>(begin(i), 0);
  }
  // What to pad at the end for every window to be whole.
  int64_t padding_after() const {
    return std::max<int64_t>(0, (outputs - 1) * stride + kernel - padding - extent);
  }
};

std::vector<int64_t> per_dim(std::vector<int64_t> values, size_t count) {
  if (values.size() == 1) values.resize(count, values[0]);
  return values;
}

std::vector<Axis> axes_of(const OpContext& context) {
  const std::string_view base = context.node().op->base_name();
  const auto count = static_cast<size_t>(base[base.size() - 2] - '0');  // avg_pool2d
  const auto& in = context.spec_of("self").dims;
  const auto& out = context.result().dims;
  const auto kernel = per_dim(context.integers("kernel_size"), count);
  auto stride = context.has("stride") ? context.integers("stride") : std::vector<int64_t>{};
  stride = stride.empty() ? kernel : per_dim(stride, count);
  const auto padding = per_dim(context.integers("padding"), count);
  std::vector<Axis> axes;
  for (size_t d = 0; d < count; ++d) {
    const Dim& from = in.at(in.size() - count + d);
    const Dim& to = out.at(out.size() - count + d);
    if (!from.fixed() || !to.fixed()) throw Refusal("windows over a symbolic dimension");
    axes.push_back({from.size, kernel[d], stride[d], padding[d], to.size});
  }
  return axes;
}

// One number for every place of a window.
std::vector<double> divisors(const OpContext& context, const std::vector<Axis>& axes) {
  std::vector<double> all = {1};
  const bool whole = context.flag("count_include_pad");
  const bool fixed =
      context.node().op->arg_index("divisor_override") >= 0 && context.has("divisor_override");
  for (const Axis& axis : axes) {
    std::vector<double> next;
    for (double before : all) {
      for (int64_t i = 0; i < axis.outputs; ++i) {
        const int64_t count = whole ? axis.end(i) - axis.begin(i) : axis.inside(i);
        next.push_back(fixed ? context.number("divisor_override")
                             : before * static_cast<double>(count));
      }
    }
    all = std::move(next);
  }
  return all;
}

ov::Shape output_sizes(const std::vector<Axis>& axes) {
  ov::Shape sizes;
  for (const Axis& axis : axes) sizes.push_back(static_cast<size_t>(axis.outputs));
  return sizes;
}

Output padded(const Output& x, size_t rank, const std::vector<Axis>& axes) {
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  for (size_t d = 0; d < axes.size(); ++d) {
    before[rank - axes.size() + d] = axes[d].padding;
    after[rank - axes.size() + d] = axes[d].padding_after();
  }
  return make<op::Pad>(x, int_list(before), int_list(after),
                       convert(int_scalar(0), x.get_element_type()), ov::op::PadMode::CONSTANT);
}

Output float_average(const OpContext& context, const Output& x, const std::vector<Axis>& axes) {
  ov::Strides strides;
  ov::Shape kernel;
  const ov::Shape none(axes.size(), 0);
  double volume = 1;
  for (const Axis& axis : axes) {
    strides.push_back(static_cast<size_t>(axis.stride));
    kernel.push_back(static_cast<size_t>(axis.kernel));
    volume *= static_cast<double>(axis.kernel);
  }
  const Output mean = make<op::AvgPool>(x, strides, none, none, kernel, false);
  std::vector<float> factors;
  for (double d : divisors(context, axes)) factors.push_back(static_cast<float>(volume / d));
  return make<op::Multiply>(
      mean, op::Constant::create(ov::element::f32, output_sizes(axes), factors)->output(0));
}

// The sum of as many slices as a window has places, and a division that truncates.
Output integer_average(const OpContext& context, const Output& x, size_t rank,
                       const std::vector<Axis>& axes) {
  int64_t volume = 1;
  std::vector<int64_t> dims, steps;
  for (size_t d = 0; d < axes.size(); ++d) {
    volume *= axes[d].kernel;
    dims.push_back(static_cast<int64_t>(rank - axes.size() + d));
    steps.push_back(axes[d].stride);
  }
  if (volume > kLargestIntegerWindow) throw Refusal("a large window of integers");
  Output sum;
  for (int64_t place = 0; place < volume; ++place) {
    std::vector<int64_t> begin(axes.size()), end(axes.size());
    int64_t rest = place;
    for (size_t d = axes.size(); d-- > 0; rest /= axes[d].kernel) {
      begin[d] = rest % axes[d].kernel;
      end[d] = begin[d] + (axes[d].outputs - 1) * axes[d].stride + 1;
    }
    const Output slice =
        make<op::Slice>(x, int_list(begin), int_list(end), int_list(steps), int_list(dims));
    sum = place == 0 ? slice : make<op::Add>(sum, slice);
  }
  std::vector<int64_t> values;
  for (double d : divisors(context, axes)) values.push_back(static_cast<int64_t>(d));
  return truncated_quotient(
      sum, op::Constant::create(x.get_element_type(), output_sizes(axes), values)->output(0));
}

ov::OutputVector average(const OpContext& context) {
  const std::vector<Axis> axes = axes_of(context);
  const size_t rank = context.spec_of("self").dims.size();
  const bool batched = rank == axes.size() + 2;
  const Output self = context.tensor("self");
  const Output x = batched ? self : make<op::Unsqueeze>(self, int_list({0}));
  const Output wide = padded(x, axes.size() + 2, axes);
  const Output y = self.get_element_type().is_real()
                       ? float_average(context, wide, axes)
                       : integer_average(context, wide, axes.size() + 2, axes);
  return {batched ? y : make<op::Squeeze>(y, int_list({0}))};
}

bool is_special(const Graph& graph, const Node& node) {
  const auto argument = [&](std::string_view name) -> const Argument* {
    const int index = node.op->arg_index(name);
    return index < 0 ? nullptr : &node.args[static_cast<size_t>(index)];
  };
  const auto* self = std::get_if<ValueRef>(&node.args.at(0));
  if (self == nullptr) return false;
  const Argument* divisor = argument("divisor_override");
  const Argument* ceil = argument("ceil_mode");
  return !is_floating(graph.value(self->id).spec.dtype) ||
         (divisor != nullptr && !std::holds_alternative<None>(*divisor)) ||
         (ceil != nullptr && *ceil == Argument(true));
}

constexpr Translation kTable[] = {
    {"aten.avg_pool1d.default", average, is_special},
    {"aten.avg_pool2d.default", average, is_special},
    {"aten.avg_pool3d.default", average, is_special},
};

}  // namespace

std::span<const Translation> pooling_translations() { return kTable; }

}  // namespace changeaware::ovn
