// The part of the canonical bytes that a graph contributes: ports, reached nodes and constants,
// outputs, assertions, effects, bounds of symbols. Nested graphs are written by the same function.
#pragma once

#include <string>

#include "graph/graph.h"
#include "identity/parameter_digests.h"
#include "identity/symbol_numbers.h"

namespace changeaware {

// `symbols` has the numbers that an enclosing graph gave. REQUIRES: verify(graph).ok().
std::string region_bytes(const Graph& graph, SymbolNumbers& symbols, ParameterDigests& digests);

}  // namespace changeaware
