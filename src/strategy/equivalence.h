// Equivalence: a strategy is offered only after it was executed and its results were `main`'s, bit
// by bit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"
#include "regions/partition.h"

namespace changeaware {

// The program of one segment: its nodes, ports in order, its assertions.
Result<Graph> segment_graph(const Graph& graph, const Segment& segment);

struct Equivalence {
  bool equal = false;
  // "output 'masks' differs at [0, 3]: 0.25 in main, 0.5 in the segments"; empty when equal.
  std::string difference;
  // Bytes that the segments' outputs took, by segment.
  std::map<std::string, uint64_t> output_bytes;
};

// Runs `main` and then the segments in order on `inputs` (one per Graph::inputs()), one executable
// at a time so that weights are packed once at any moment, and compares every result of the
// program. A failed assertion of the program on its own example inputs is FailedAssertion with its
// message. `progress(done, total)` is called between executables; may be empty.
Result<Equivalence> check_equivalence(const Engine& engine, const Graph& graph, const Partition& partition,
                                      const std::vector<Tensor>& inputs,
                                      const std::function<void(size_t, size_t)>& progress);

}  // namespace changeaware
