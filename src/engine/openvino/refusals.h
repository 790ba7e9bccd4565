// What the OpenVINO engine will not run, because its answer is known to differ from PyTorch's.
//
// Three rules and a table: dtypes that OpenVINO has not or computes in another precision; integers
// outside 32 bits in constants, as int64 is computed in 32 bits; operators and arguments that it
// gets wrong and that have no translation of ours.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::ovn {

// Unsupported naming the node and operator (or the input or constant) and the reason.
Status check_supported(const Graph& graph);
// Every node for which check_supported() would fail, in order; for a constant, those that read it.
std::vector<NodeRefusal> known_refusals(const Graph& graph);

}  // namespace changeaware::ovn
