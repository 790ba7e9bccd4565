// The chain of worthwhile cuts of one dependency class.
//
// A cut says which nodes of a class are not recomputed while its boundary is retained. All best
// cuts of a class are nested (cut_hull.h), so they slice it: cut i is slices 0 … i-1, and the
// slices are convex and form a chain. Strategies choose a cut per class and share the slices.
//
// Not every best cut is worth a slice. A cut is turned down, with its reason, when
//   - it saves less than `min_slice_us` over the next thinner cut that is kept: its slice would
//   cost
//     more as a call of its own than it saves; or
//   - it retains less than `min_saved_bytes`, or less than `min_saved_share` of it, fewer bytes
//   than
//     the next thicker cut that is kept; or
//   - more than `max_cuts` remain: those are kept that lower the trade-off curve most.
// Cuts that would lower the cost at no price by more than `tolerance` may not be looked for at all.
// The empty cut (nothing retained) and the whole class (its full frontier retained) always stay.
// The last slice may be short: the cut before it then retains fewer bytes for the price of a call.
//
// Of cuts that cost the same the largest is taken (values are retained as late as possible), so the
// chain depends on nothing but graph, times and options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regions/cut_problem.h"

namespace changeaware {

struct CutOptions {
  double min_slice_us = 20;             // what one call of a segment costs
  uint64_t min_saved_bytes = 64 << 10;  // what copying takes a few microseconds
  double min_saved_share = 0.05;        // of the thicker cut's bytes
  uint32_t max_cuts = 4;                // per class, without the empty one: at most so many slices
  double tolerance = 1e-3;              // share of the cost that a cut may miss; 0 = find all
};

struct Cut {
  uint64_t retained_bytes = 0;
  double recompute_us = 0;        // of the slices behind it
  std::vector<ValueId> retained;  // increasing: made before the cut and read behind it or outside
};

struct RejectedCut {
  uint64_t retained_bytes = 0;
  double recompute_us = 0;
  std::string reason;
};

struct CutChain {
  std::vector<Cut> cuts;                // the empty one first, the whole class last; at least two
  std::vector<uint32_t> slice_of_node;  // by place in the class, 0 … cuts.size() - 2
  std::vector<RejectedCut> rejected;    // from thin to thick
};

// `class_nodes`: increasing ids of a convex set; `node_us`: by NodeId, of the whole graph.
// InvalidArgument naming the node, value or option that is at fault.
// Cost: one scan of the graph; for many classes of one graph use a CutProblemReader.
Result<CutChain> cut_class(const Graph& graph, std::span<const NodeId> class_nodes,
                           std::span<const double> node_us, const CutOptions& options = {});

// The same for a problem that a CutProblemReader gave.
Result<CutChain> cut_class(const CutProblem& problem, const CutOptions& options = {});

}  // namespace changeaware
