// Calls that return their argument unchanged.
#pragma once

#include "graph/graph.h"

namespace changeaware {

// The argument whose elements, in order, are those of the node's only result; kNoId when there is
// none. Memory layout is no part of a value, unless it is to be kept.
ValueId identity_of(const Graph& graph, const Node& node, bool keep_layout);

}  // namespace changeaware
