// Resizing that OpenVINO computes differently (antialiasing, bicubic reduction), as two products
// with constant matrices: both directions are linear and independent of each other.
// Source: PyTorch documentation of torch.nn.functional.interpolate; the weights are those of
// aten/src/ATen/native/cpu/UpSampleKernel.cpp.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

struct Direction {
  int64_t in, out;
  bool align_corners;
  std::optional<double> factor;  // given by the caller: out = in * factor

  float scale() const {
    if (align_corners) {
      return out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1) : 0.0f;
    }
    if (factor && *factor > 0) return static_cast<float>(1.0 / *factor);
    return static_cast<float>(in) / static_cast<float>(out);
  }
};

float triangle(float x) { return std::max(0.0f, 1.0f - std::fabs(x)); }

// Keys' cubic, whose parameter is `a`.
float cubic(float x, float a) {
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

float antialiasing_cubic(float x) { return cubic(x, -0.5f); }

using Filter = float (*)(float);

// [out, in]: the filter is as wide as the pixels of the result, and its weights add up to one.
std::vector<float> antialiased(const Direction& d, Filter filter, float reach) {
  const float scale = d.scale();
  const float support = scale >= 1 ? reach * scale : reach;
  const float inverse = scale >= 1 ? 1.0f / scale : 1.0f;
  std::vector<float> matrix(static_cast<size_t>(d.out * d.in), 0.0f);
  for (int64_t i = 0; i < d.out; ++i) {
    const float centre = scale * (static_cast<float>(i) + 0.5f);
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5f), 0);
    const auto last = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5f), d.in);
    float* row = matrix.data() + i * d.in;
    float total = 0;
    for (int64_t j = first; j < last; ++j) {
      row[j] = filter((static_cast<float>(j) - centre + 0.5f) * inverse);
      total += row[j];
    }
    for (int64_t j = first; j < last && total != 0; ++j) row[j] /= total;
  }
  return matrix;
}

// [out, in]: four pixels around the place, the border being repeated.
std::vector<float> bicubic(const Direction& d) {
  const float scale = d.scale();
  std::vector<float> matrix(static_cast<size_t>(d.out * d.in), 0.0f);
  for (int64_t i = 0; i < d.out; ++i) {
    const auto at = static_cast<float>(i);
    const float place = d.align_corners ? scale * at : scale * (at + 0.5f) - 0.5f;
    const auto below = static_cast<int64_t>(std::floor(place));
    for (int64_t j = below - 1; j <= below + 2; ++j) {
      const int64_t pixel = std::clamp<int64_t>(j, 0, d.in - 1);
      matrix[static_cast<size_t>(i * d.in + pixel)] += cubic(place - static_cast<float>(j), -0.75f);
    }
  }
  return matrix;
}

std::optional<double> factor_of(const OpContext& context, size_t axis) {
  const auto given = [&](std::string_view name) {
    return context.node().op->arg_index(name) >= 0 && context.has(name);
  };
  const std::string_view own = axis == 0 ? "scales_h" : "scales_w";
  if (given(own)) return context.number(own);
  if (!given("scale_factors")) return std::nullopt;
  const auto* list = std::get_if<std::vector<double>>(&context.argument("scale_factors"));
  if (list == nullptr) throw Refusal("scale factors that are not fixed");
  return list->at(axis);
}

std::string_view source_name(const OpContext& context) { return context.node().op->args[0].name; }

Direction direction(const OpContext& context, size_t axis) {
  const Dim& in = context.spec_of(source_name(context)).dims.at(axis + 2);
  const Dim& out = context.result().dims.at(axis + 2);
  if (!in.fixed() || !out.fixed()) throw Refusal("a symbolic size");
  return {in.size, out.size, context.flag("align_corners"), factor_of(context, axis)};
}

template <class Weights>
ov::OutputVector resized(const OpContext& context, const Weights& weights) {
  if (context.result().dtype != DType::kFloat32) throw Refusal("pixels that are not float32");
  const auto matrix = [&](const Direction& d) {
    return op::Constant::create(ov::element::f32,
                                ov::Shape{static_cast<size_t>(d.out), static_cast<size_t>(d.in)},
                                weights(d))
        ->output(0);
  };
  const Output x = context.tensor(source_name(context));
  const Output columns = make<op::MatMul>(x, matrix(direction(context, 1)), false, true);
  return {make<op::MatMul>(matrix(direction(context, 0)), columns)};
}

ov::OutputVector bilinear_antialiased(const OpContext& context) {
  return resized(context, [](const Direction& d) { return antialiased(d, triangle, 1); });
}
ov::OutputVector bicubic_antialiased(const OpContext& context) {
  return resized(context, [](const Direction& d) { return antialiased(d, antialiasing_cubic, 2); });
}
ov::OutputVector bicubic_reduced(const OpContext& context) { return resized(context, bicubic); }

// OpenVINO's own is right when neither size becomes smaller.
bool makes_smaller(const Graph& graph, const Node& node) {
  const auto* in = std::get_if<ValueRef>(&node.args.at(0));
  if (in == nullptr || node.outputs.at(0) == kNoId) return false;
  const auto& from = graph.value(in->id).spec.dims;
  const auto& to = graph.value(node.outputs[0]).spec.dims;
  if (from.size() != 4 || to.size() != 4) return false;
  for (size_t d = 2; d < 4; ++d) {
    if (!from[d].fixed() || !to[d].fixed()) return false;
  }
  return to[2].size < from[2].size || to[3].size < from[3].size;
}

constexpr Translation kTable[] = {
    {"aten._upsample_bilinear2d_aa.default", bilinear_antialiased},
    {"aten._upsample_bilinear2d_aa.vec", bilinear_antialiased},
    {"aten._upsample_bicubic2d_aa.default", bicubic_antialiased},
    {"aten._upsample_bicubic2d_aa.vec", bicubic_antialiased},
    {"aten.upsample_bicubic2d.default", bicubic_reduced, makes_smaller},
    {"aten.upsample_bicubic2d.vec", bicubic_reduced, makes_smaller},
};

}  // namespace

std::span<const Translation> resizing_translations() { return kTable; }

}  // namespace changeaware::ovn
