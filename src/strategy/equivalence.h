// Equivalence: a strategy is offered only after it was executed and its results were `main`'s.
//
// Incremental and full runs execute the same segments and so have the same bits by construction.
// `main` is another executable: an engine may fuse operators across what are boundaries between
// segments, which can change last bits. Its results must agree within `kTolerance` of each output's
// scale (integers and booleans: exactly); whether the bits agree too is recorded.
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

inline constexpr double kTolerance = 1e-4;

struct Equivalence {
  bool executed = false;
  bool same_bits = false;
  bool within_tolerance = false;
  // "output 'masks' differs at element 3: 0.25 in main, 0.5 in the segments; …"; empty when the
  // bits are the same.
  std::string difference;
  // Bytes that the segments' outputs took, by segment.
  std::map<std::string, uint64_t> output_bytes;
};

// Runs `main` and then the segments in order on `inputs` (one per Graph::inputs()), one executable
// at a time so that weights are packed once at any moment, and compares every result of the
// program. A failed assertion of the program on its own example inputs is FailedAssertion with its
// message. `progress(done, total)` is called between executables; may be empty.
Result<Equivalence> check_equivalence(const Engine& engine, const Graph& graph,
                                      const Partition& partition, const std::vector<Tensor>& inputs,
                                      const std::function<void(size_t, size_t)>& progress);

}  // namespace changeaware
