// verify(): checks the invariants stated in graph.h.
#pragma once

#include "graph/graph.h"

namespace changeaware {

// InvalidProgram naming the node or value.
Status verify(const Graph& graph);

}  // namespace changeaware
