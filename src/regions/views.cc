#include "regions/views.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "analysis/cost.h"

namespace changeaware {
namespace {

// Base names of the operators that only give the elements of their one operand another shape.
constexpr std::array<std::string_view, 9> kReshapes = {
    "alias", "detach", "flatten", "ravel", "reshape", "squeeze", "unflatten", "unsqueeze", "view"};

// The operand, when nothing else is read and no element is dropped or repeated.
ValueId reshaped_operand(const Graph& graph, const Node& node) {
  const std::string_view name = node.op->base_name();
  if (std::find(kReshapes.begin(), kReshapes.end(), name) == kReshapes.end()) return kNoId;
  if (!is_view(graph, node) || node.outputs.size() != 1 || node.outputs[0] == kNoId) return kNoId;
  size_t reads = 0;
  for_each_input(node, [&](ValueId) { ++reads; });
  const ValueId operand = std::get<ValueRef>(node.args[0]).id;
  if (reads != 1 || value_bytes(graph, operand) != value_bytes(graph, node.outputs[0])) {
    return kNoId;
  }
  return operand;
}

}  // namespace

bool is_view(const Graph& graph, const Node& node) {
  const auto& returns = node.op->returns;
  const bool shares = std::any_of(returns.begin(), returns.end(), [](const ReturnSchema& r) {
    return !r.alias_set.empty() && !r.mutated;
  });
  // contiguous() and to() share memory only where they do nothing.
  if (!shares || node.op->base_name() == "contiguous") return false;
  const auto* from = node.args.empty() ? nullptr : std::get_if<ValueRef>(&node.args[0]);
  if (from == nullptr) return false;
  const DType dtype = graph.value(from->id).spec.dtype;
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return v == kNoId || graph.value(v).spec.dtype == dtype; });
}

std::vector<ValueId> shaped_from(const Graph& graph) {
  std::vector<ValueId> out(graph.values().size());
  std::iota(out.begin(), out.end(), 0);
  std::vector<bool> is_given(out.size(), false);
  std::vector<bool> is_returned(out.size(), false);
  for (ValueId v : graph.inputs()) is_given[v] = true;
  for (const Constant& constant : graph.constants()) is_given[constant.value] = true;
  for (const Argument& output : graph.outputs()) {
    for_each_value(output, [&](ValueId v) { is_returned[v] = true; });
  }
  for (const Node& node : graph.nodes()) {
    const ValueId operand = reshaped_operand(graph, node);
    if (operand == kNoId || is_given[operand] || is_returned[node.outputs[0]]) continue;
    out[node.outputs[0]] = out[operand];
  }
  return out;
}

}  // namespace changeaware
