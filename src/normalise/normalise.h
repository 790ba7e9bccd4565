// normalise(): an exported program as a functional graph with no aliases, no composites that the
// engines lack, and no duplicates. The passes are the table in normalise.cc; each is
// graph -> graph and the graph is verified after each.
//
//   inline       no-grad sub-graphs become part of the graph (autocast: refused unless disabled)
//   effects      random operators, unknown effects, mutation of an input or buffer: refused
//   functionalise in-place operators on fresh values and on views of them become pure
//   assertions   decidable ones are discharged (or fail here); the others become Graph::assertions
//   decompose    composite operators that engines lack, by PyTorch's own definitions
//   simplify     aliases and no-ops are folded, equal nodes merged, dead nodes dropped
//
// Errors: Unsupported naming node, operator and, for mutation, the input or buffer by name.
#pragma once

#include "graph/graph.h"
#include "graph/signature.h"

namespace changeaware {

// Input names in messages come from `signature`.
Result<Graph> normalise(const Graph& graph, const Signature& signature);

}  // namespace changeaware
