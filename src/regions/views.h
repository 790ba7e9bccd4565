// Views: nodes that compute nothing.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace changeaware {

// The result shares the memory of an argument and has its dtype.
bool is_view(const Graph& graph, const Node& node);

// By ValueId: the value of which it is another shape of the same elements in the same order, or the
// value itself. Whoever reads such a view can make it from that value for nothing, so it need not
// be handed from segment to segment beside it. Never a program input or a constant; results of the
// program stand for themselves.
std::vector<ValueId> shaped_from(const Graph& graph);

}  // namespace changeaware
