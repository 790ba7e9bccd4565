// The program of one segment.
#pragma once

#include "graph/graph.h"
#include "regions/partition.h"

namespace changeaware {

// Its nodes, its ports in order, its assertions.
Result<Graph> segment_graph(const Graph& graph, const Segment& segment);

}  // namespace changeaware
