// Steps of simplify(). Each makes a new graph of equal results and says whether it found anything.
#pragma once

#include "graph/graph.h"

namespace changeaware {

struct Step {
  Graph graph;
  bool changed = false;
};

// Nodes that return an argument unchanged, and arithmetic on sizes that are known, are replaced by
// what they return. A symbolic size is read from an input that has it.
// `keep_layouts`: not where the argument's traced layout is another than the result's.
Result<Step> fold(const Graph& graph, bool keep_layouts);

// Equal constants become one (the same view of the same storage, or few equal bytes); equal nodes
// become one. Numbers are equal when their bits are.
// `keep_layouts`: constants are equal only when their layout is.
Result<Step> merge(const Graph& graph, bool keep_layouts);

}  // namespace changeaware
