#include "normalise/decompositions/empties.h"

#include <algorithm>

namespace changeaware {
namespace {

bool without_elements(const Value& value) {
  if (value.kind != ValueKind::kTensor || !value.spec.fixed()) return false;
  const auto& dims = value.spec.dims;
  return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.size == 0; });
}

}  // namespace

Result<bool> answer_without_elements(Rewriter& rewriter, const Node& node) {
  const Graph& graph = rewriter.from();
  const auto made = [](ValueId id) { return id != kNoId; };
  if (node.op->has_effects || std::none_of(node.outputs.begin(), node.outputs.end(), made)) {
    return false;
  }
  for (ValueId id : node.outputs) {
    if (id != kNoId && !without_elements(graph.value(id))) return false;
  }
  for (ValueId id : node.outputs) {
    if (id == kNoId) continue;
    const TensorSpec& spec = graph.value(id).spec;
    auto done = rewriter.emit(
        "aten.full.default",
        {{"size", spec.hint_shape()}, {"fill_value", int64_t{0}}, {"dtype", spec.dtype}},
        rewriter.like(id));
    CA_ASSIGN_OR_RETURN(const ValueId now, std::move(done));
    rewriter.map(id, ValueRef{now});
  }
  return true;
}

}  // namespace changeaware
