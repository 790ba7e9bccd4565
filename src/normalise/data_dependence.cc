#include "normalise/data_dependence.h"

#include <algorithm>

#include "graph/control_flow.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

// Composites over operators whose result's shape depends on values; the table's flag comes from
// tags, which composites lack.
constexpr std::string_view kComposites[] = {
    "aten.where.default",
    "aten.nonzero_numpy.default",
    "aten.is_nonzero.default",
    "aten.item.default",
    "aten.repeat_interleave.self_Tensor",
    "aten.tensor_split.tensor_indices_or_sections",
    "aten._unsafe_index.Tensor",
};

bool has_mask_index(const Graph& graph, const Node& node) {
  bool found = false;
  for_each_value(argument(node, "indices"), [&](ValueId id) {
    const DType dtype = graph.value(id).spec.dtype;
    found = found || dtype == DType::kBool || dtype == DType::kUInt8;
  });
  return found;
}

}  // namespace

bool shape_depends_on_values(const Graph& graph, const Node& node) {
  if (is_control_flow(*node.op)) return true;
  const bool listed = std::find(std::begin(kComposites), std::end(kComposites), node.op->name) !=
                      std::end(kComposites);
  if (!node.op->data_dependent_shape && !listed) return false;
  const std::string_view base = node.op->base_name();
  if (base == "index" || base == "_unsafe_index") return has_mask_index(graph, node);
  if (base == "one_hot") return int_argument(node, "num_classes").value_or(-1) < 0;
  // A size that is a number of the program is checked by the operator itself.
  if (base == "repeat_interleave") return is_none(argument(node, "output_size"));
  return true;
}

std::vector<bool> data_dependent_values(const Graph& graph) {
  std::vector<bool> depends(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    bool from_contents = shape_depends_on_values(graph, node);
    for_each_input(node, [&](ValueId id) { from_contents = from_contents || depends[id]; });
    if (!from_contents) continue;
    for (ValueId id : node.outputs) {
      if (id != kNoId) depends[id] = true;
    }
  }
  return depends;
}

}  // namespace changeaware
