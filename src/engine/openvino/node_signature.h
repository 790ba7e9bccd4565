// node_signature: what an engine sees of a node besides its place in the graph. Nodes with the same
// signature are converted alike.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "graph/graph.h"

namespace changeaware::ovn {

// Operator, arguments, and of each value its kind, dtype and sizes; of small constants the elements
// too. Not for people.
std::string node_signature(const Graph& graph, const Node& node);

}  // namespace changeaware::ovn
