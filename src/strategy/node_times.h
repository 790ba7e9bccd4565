// What each node of a program takes: measured by segment, shared out by estimates.
#pragma once

#include <functional>
#include <vector>

#include "analysis/dependencies.h"
#include "engine/engine.h"
#include "graph/graph.h"
#include "regions/partition.h"

namespace changeaware {

// By NodeId, from shapes alone.
std::vector<double> nominal_node_times(const Graph& graph);

// Runs on `examples` (one per Graph::inputs()) each segment that some change spares: one that does
// not depend on every input that a result depends on. Its time, the least of a few runs, is shared
// out over its nodes by nominal times; views and constant arithmetic, which engines fold, get
// none. Nodes of the other segments keep their nominal times. One executable is in memory at a
// time. `progress(done, total)` may be empty.
Result<std::vector<double>> measure_node_times(const Engine& engine, const Graph& graph,
                                               const Dependencies& dependencies,
                                               const Partition& partition,
                                               const std::vector<Tensor>& examples,
                                               const std::function<void(size_t, size_t)>& progress);

}  // namespace changeaware
