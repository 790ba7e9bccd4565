// normalise(): an exported program as a functional graph with no aliases, no composites that the
// engines lack, and no duplicates. The passes are the table in normalise.cc; each is
// graph -> graph and the graph is verified after each.
//
//   inline       no-grad sub-graphs become part of the graph (autocast: with its casts)
//   effects      random operators, unknown effects, mutation of an input or buffer: refused
//   functionalise in-place operators on fresh values and on views of them become pure
//   assertions   decidable ones are discharged (or fail here); the others become Graph::assertions
//   define       operators that PyTorch defines in Python alone, by that definition
//   decompose    composite operators that the fast engine lacks, by PyTorch's own definitions
//   simplify     aliases and no-ops are folded, equal nodes merged, dead nodes dropped
//
// Bodies of control flow are normalised by the same passes, after the graph that they are in.
//
// Errors: Unsupported naming node, operator and, for mutation, the input or buffer by name.
#pragma once

#include "graph/graph.h"
#include "graph/signature.h"

namespace changeaware {

struct NormaliseOptions {
  // False: operators stay PyTorch's own wherever it has a kernel for them, and nothing changes a
  // bit of what an eager run computes, nor the memory layout that it computes it in.
  bool decompose = true;
};

// Input names in messages come from `signature`.
Result<Graph> normalise(const Graph& graph, const Signature& signature,
                        const NormaliseOptions& options = {});

}  // namespace changeaware
