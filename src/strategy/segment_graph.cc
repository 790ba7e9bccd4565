#include "strategy/segment_graph.h"

#include "graph/subgraph.h"

namespace changeaware {

Result<Graph> segment_graph(const Graph& graph, const Segment& segment) {
  CA_ASSIGN_OR_RETURN(Graph region,
                      extract_subgraph(graph, segment.nodes, segment.inputs, segment.outputs));
  for (size_t i : segment.assertions) {
    const Assertion& a = graph.assertions()[i];
    region.add_assertion({region.find_value(graph.value(a.condition).name), a.message});
  }
  return region;
}

}  // namespace changeaware
