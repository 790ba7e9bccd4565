// define: operators that PyTorch defines in Python alone have no kernel to call.
#include <algorithm>

#include "base/errors.h"
#include "normalise/decompositions/decompositions.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

const Decomposition* definition_of(const OpSchema& op) {
  const auto table = quantized_definitions();
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const Decomposition& entry) { return entry.name == op.name; });
  return it == table.end() ? nullptr : &*it;
}

}  // namespace

Result<Graph> define(const Graph& graph, const PassContext&) {
  const std::vector<uint32_t> uses = count_uses(graph);
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const Decomposition* definition = definition_of(*node.op);
    if (definition == nullptr) {
      if (node.op->ns() == "quantized_decomposed") {
        return unsupported(
            "node '{}': {} is defined in Python alone, and this library does not know "
            "the definition",
            node.name, node.op->name);
      }
      rewriter.copy(node);
      continue;
    }
    Builder builder(rewriter, node, uses);
    definition->apply(builder);
    CA_RETURN_IF_ERROR(builder.status());
  }
  return rewriter.finish();
}

}  // namespace changeaware
