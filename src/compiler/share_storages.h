// Storages with equal bytes become one, as the package will store them.
#pragma once

#include "graph/graph.h"

namespace changeaware {

// Points every constant at the first storage of the same dtype whose bytes equal its own. What is
// verified by execution then reads memory as the package's regions will.
void share_equal_storages(Graph& graph);

}  // namespace changeaware
