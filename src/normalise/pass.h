// The passes of normalise(): each takes a verified graph and gives a new one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace changeaware {

// What passes need to know besides the graph.
struct PassContext {
  // Name of each program input as the caller knows it, in the order of Graph::inputs(), which no
  // pass changes.
  std::vector<std::string> input_names;
  // Ranges of the program's symbols; the bodies of control flow share them.
  std::map<std::string, SymbolRange> symbols;
  // Memory layouts stay what an eager run has: kernels may add in another order in another layout.
  bool keep_layouts = false;
};

// Splices the bodies of higher-order operators that only switch a mode into the graph.
// Unsupported: an enabled autocast region, any other higher-order operator.
Result<Graph> inline_bodies(const Graph& graph, const PassContext& context);

// Refuses what has no place in a pure graph, and replaces dropout that does nothing by an alias.
// Unsupported, naming node and operator: random operators, unknown effects, normalisation that
// updates its running statistics, control flow that asserts something and whose results nobody
// reads.
Result<Graph> check_effects(const Graph& graph, const PassContext& context);

// Makes in-place operators pure. Afterwards no node mutates an argument, and a value that read
// memory written later reads what an eager run would read.
// Unsupported, naming node and operator: mutation of an input or constant, writing through a view
// whose inverse is unknown, an in-place operator without a pure counterpart, writing to memory of
// which it is not known whether a value read later shares it.
Result<Graph> functionalise(const Graph& graph, const PassContext& context);

// Discharges assertions that follow from dtypes, sizes, symbol ranges or constants; the others
// become assertions of the graph. InvalidProgram when one contradicts what is known.
Result<Graph> decide_assertions(const Graph& graph, const PassContext& context);

// Rewrites operators that PyTorch has no kernel for by its own Python definitions, with their bits.
Result<Graph> define(const Graph& graph, const PassContext& context);

// Rewrites composite operators by PyTorch's definitions (decompositions/).
Result<Graph> decompose(const Graph& graph, const PassContext& context);

// Folds aliases, no-ops and arithmetic on fixed sizes; merges equal constants and equal nodes;
// drops dead nodes and constants; to a fixed point. Never changes a bit of a result; where layouts
// are kept, only what returns its argument in the layout that it has is folded.
Result<Graph> simplify(const Graph& graph, const PassContext& context);

}  // namespace changeaware
