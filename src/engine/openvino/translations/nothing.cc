#include "engine/openvino/translations/nothing.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/openvino/element_types.h"
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct OfNothing {
  std::string_view base;
  float value;
};

// Of the first operand's elements, when there are none.
constexpr OfNothing kReductions[] = {
    {"sum", 0}, {"nansum", 0},     {"prod", 1}, {"mean", kNaN}, {"any", 0},
    {"all", 1}, {"linalg_det", 1}, {"det", 1},  {"trace", 0},   {"logsumexp", -kInfinity},
};

// Sums of products: of nothing when either operand is empty.
constexpr std::string_view kProducts[] = {"matmul", "mm", "bmm", "mv", "dot", "vdot", "inner"};

bool is_empty_tensor(const Graph& graph, const Argument& argument) {
  const auto* ref = std::get_if<ValueRef>(&argument);
  if (ref == nullptr || graph.value(ref->id).kind != ValueKind::kTensor) return false;
  const auto& dims = graph.value(ref->id).spec.dims;
  return std::any_of(dims.begin(), dims.end(),
                     [](const Dim& d) { return d.fixed() && d.size == 0; });
}

std::optional<float> value_of_nothing(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1 || node.outputs[0] == kNoId || node.args.empty()) return {};
  const Value& result = graph.value(node.outputs[0]);
  if (result.kind != ValueKind::kTensor || !result.spec.fixed()) return {};
  const std::string_view base = node.op->base_name();
  for (const OfNothing& line : kReductions) {
    if (line.base == base && is_empty_tensor(graph, node.args[0])) return line.value;
  }
  for (std::string_view product : kProducts) {
    if (product != base || node.args.size() < 2) continue;
    if (is_empty_tensor(graph, node.args[0]) || is_empty_tensor(graph, node.args[1])) return 0.0f;
  }
  return {};
}

Output filled(const TensorSpec& spec, ov::element::Type type, float value) {
  const Shape shape = spec.hint_shape();
  const ov::Shape sizes(shape.begin(), shape.end());
  std::vector<float> values(ov::shape_size(sizes), value);
  return op::Constant::create(type, sizes, values)->output(0);
}

ov::OutputVector nothing(const OpContext& context) {
  ov::OutputVector out;
  for (size_t i = 0; i < context.node().outputs.size(); ++i) {
    const bool named = context.node().outputs[i] != kNoId;
    out.push_back(named ? filled(context.result(i), context.result_type(i), 0) : int_scalar(0));
  }
  return out;
}

ov::OutputVector of_nothing(const OpContext& context) {
  const float value = value_of_nothing(context.graph(), context.node()).value_or(0);
  return {filled(context.result(), context.result_type(), value)};
}

constexpr Translation kNothing{"a result without elements", nothing};
constexpr Translation kOfNothing{"a reduction of nothing", of_nothing};

}  // namespace

bool makes_nothing(const Graph& graph, const Node& node) {
  bool any = false;
  for (ValueId id : node.outputs) {
    if (id == kNoId) continue;
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kTensor || !value.spec.fixed()) return false;
    const Shape shape = value.spec.hint_shape();
    if (std::find(shape.begin(), shape.end(), 0) == shape.end()) return false;
    if (!element_type(value.spec.dtype)) return false;
    any = true;
  }
  return any;
}

const Translation* translation_of_nothing(const Graph& graph, const Node& node) {
  if (makes_nothing(graph, node)) return &kNothing;
  if (value_of_nothing(graph, node)) return &kOfNothing;
  return nullptr;
}

}  // namespace changeaware::ovn
