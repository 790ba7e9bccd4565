#include "graph/subgraph.h"
#include "normalise/fold.h"
#include "normalise/pass.h"

namespace changeaware {

Result<Graph> simplify(const Graph& graph, const PassContext& context) {
  Graph current = eliminate_dead_nodes(graph);
  // A round that changes something drops a node or moves a size to an input, so this ends.
  for (bool changed = true; changed;) {
    CA_ASSIGN_OR_RETURN(Step folded, fold(current, context.keep_layouts));
    CA_ASSIGN_OR_RETURN(Step merged, merge(folded.graph, context.keep_layouts));
    changed = folded.changed || merged.changed;
    current = eliminate_dead_nodes(merged.graph);
  }
  return current;
}

}  // namespace changeaware
