// autocast on the CPU: what PyTorch casts before an operator of the region runs, written out.
//
// The lists are data from PyTorch itself: autocast_table.inc, by
// scripts/generate_autocast_table.py.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "normalise/rewriter.h"

namespace changeaware {

// The dtype that a region of wrap_with_autocast computes in, given that of the region around it;
// nothing = no autocast. Regions for other devices leave the CPU's as it is.
std::optional<DType> autocast_of_region(const Node& region, std::optional<DType> around);

// Emits casts of what autocast to `lower` casts of `args` (of the new graph) before `node`, which
// is of the old one, and replaces them there. `results` are what the file says about the results.
// Unsupported, naming node and operator: a composite operator of unknown parts, control
// flow, a user's operator, and results that are recorded in another dtype than they would
// have.
Status apply_autocast(Rewriter& rewriter, const Node& node, DType lower,
                      const std::vector<Value>& results, std::vector<Argument>& args);

}  // namespace changeaware
