// Bicubic enlargement by whole factors, as a convolution: several times faster than OpenVINO's
// Interpolate, which handles a few channels badly.
//
// With a factor k, the k outputs that lie between the centres of two neighbouring pixels read the
// same four pixels, with weights that do not depend on the place. So along each axis a window of
// four pixels gives k outputs: a convolution with k * k channels, whose channels then take their
// places in space. The first window begins half a pixel outside; what it gives there is cut off.
// Source: Keys, "Cubic convolution interpolation for digital image processing", 1981; PyTorch's
// documentation of torch.nn.functional.interpolate (its parameter is -0.75, borders are repeated).
#include <algorithm>
#include <array>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

constexpr int64_t kTaps = 4;
constexpr int64_t kLargestFactor = 16;  // above it, so many channels of one window do not pay

// Of the four pixels around a place; 0 is the second of them, 1 the third.
std::array<double, kTaps> weights(double at) {
  constexpr double a = -0.75;
  const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(at + 1), near(at), near(1 - at), far(2 - at)};
}

// How many of the outputs of a pixel's first window lie outside of the picture.
int64_t cut_before(int64_t factor) { return factor - factor / 2; }

// f32[factor * factor, 1, 4, 4]: the weights of each output of a window.
Output kernel(int64_t factor) {
  std::vector<std::array<double, kTaps>> along;
  for (int64_t output = 0; output < factor; ++output) {
    const double place = static_cast<double>(output - cut_before(factor)) + 0.5;
    along.push_back(weights(place / static_cast<double>(factor) + 0.5));
  }
  std::vector<float> values;
  for (const auto& rows : along) {
    for (const auto& columns : along) {
      for (double row : rows) {
        for (double column : columns) values.push_back(static_cast<float>(row * column));
      }
    }
  }
  const ov::Shape shape{along.size() * along.size(), 1, kTaps, kTaps};
  return op::Constant::create(ov::element::f32, shape, values)->output(0);
}

const TensorSpec& source_of(const Graph& graph, const Node& node) {
  return graph.value(std::get<ValueRef>(node.args[0]).id).spec;
}

// Absent, or what the sizes say: another one would move the places that are
// sampled.
bool is_factor(const Argument& scale, int64_t factor) {
  if (std::holds_alternative<None>(scale)) return true;
  const auto* one = std::get_if<double>(&scale);
  const auto* list = std::get_if<std::vector<double>>(&scale);
  const auto same = [&](double s) { return s == static_cast<double>(factor); };
  return (one != nullptr && same(*one)) ||
         (list != nullptr && std::all_of(list->begin(), list->end(), same));
}

// By one whole factor in both directions, between fixed sizes.
bool is_whole_factor(const Graph& graph, const Node& node) {
  const TensorSpec& in = source_of(graph, node);
  if (node.outputs.at(0) == kNoId || in.dtype != DType::kFloat32 || in.dims.size() != 4) {
    return false;
  }
  const TensorSpec& out = graph.value(node.outputs[0]).spec;
  if (!in.fixed() || !out.fixed() || in.dims[2].size <= 0 || in.dims[3].size <= 0) return false;
  const int64_t factor = out.dims[2].size / in.dims[2].size;
  if (factor < 2 || factor > kLargestFactor || out.dims[2].size != factor * in.dims[2].size ||
      out.dims[3].size != factor * in.dims[3].size) {
    return false;
  }
  const Argument& align_corners = node.args[2];
  return align_corners == Argument(false) &&
         std::all_of(node.args.begin() + 3, node.args.end(),
                     [&](const Argument& scale) { return is_factor(scale, factor); });
}

ov::OutputVector enlarge(const OpContext& context) {
  const Shape in = source_of(context.graph(), context.node()).hint_shape();
  const Shape out = context.fixed_result_shape();
  const int64_t factor = out[2] / in[2];
  const int64_t cut = cut_before(factor);
  const Output border = int_list({0, 0, 2, 2});
  const Output source = context.tensor(context.node().op->args[0].name);
  const Output pixels = make<op::Pad>(reshape(source, {in[0] * in[1], 1, in[2], in[3]}), border,
                                      border, ov::op::PadMode::EDGE);
  const Output windows =
      make<op::Convolution>(pixels, kernel(factor), ov::Strides{1, 1}, ov::CoordinateDiff{0, 0},
                            ov::CoordinateDiff{0, 0}, ov::Strides{1, 1});
  const Output placed = make<op::DepthToSpace>(
      windows, op::DepthToSpace::DepthToSpaceMode::DEPTH_FIRST, static_cast<size_t>(factor));
  const Output inside =
      make<op::Slice>(placed, int_list({cut, cut}), int_list({cut + out[2], cut + out[3]}),
                      int_list({1, 1}), int_list({2, 3}));
  return {reshape(inside, out)};
}

constexpr Translation kTable[] = {
    {"aten.upsample_bicubic2d.default", enlarge, is_whole_factor},
    {"aten.upsample_bicubic2d.vec", enlarge, is_whole_factor},
};

}  // namespace

std::span<const Translation> enlargement_translations() { return kTable; }

}  // namespace changeaware::ovn
