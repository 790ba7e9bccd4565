// Static estimates of what a node costs, from shapes alone. Used before anything was measured: to
// decide which segments are too small to stand alone.
#pragma once

#include "graph/graph.h"

namespace changeaware {

struct NodeCost {
  double flops = 0;        // floating-point operations, two per multiply-add
  double moved_bytes = 0;  // read and written, each operand once
};

// Symbolic sizes count with their hints, those without one as 64; a branch counts as both of its
// bodies, a loop as some rounds of its own.
NodeCost estimate_cost(const Graph& graph, const Node& node);

// Matrix products, convolutions, attention, recurrent layers, control flow: what a reader of a
// model calls work.
bool is_contraction(const OpSchema& op);

// Microseconds on a nominal core pair (100 GFLOP/s, 10 GB/s). A scale, not a prediction.
double nominal_microseconds(const NodeCost& cost);

// Bytes of a value's elements, symbolic sizes at their hints.
uint64_t value_bytes(const Graph& graph, ValueId id);

}  // namespace changeaware
