#include "regions/cuts.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "regions/cut_choice.h"
#include "regions/cut_hull.h"

namespace changeaware {
namespace {

Status check(const CutOptions& options) {
  if (options.max_cuts == 0) return invalid_argument("max_cuts is 0: the whole class is a cut");
  if (!std::isfinite(options.min_slice_us) || options.min_slice_us < 0) {
    return invalid_argument("min_slice_us is {}", options.min_slice_us);
  }
  if (!(options.min_saved_share >= 0 && options.min_saved_share <= 1)) {
    return invalid_argument("min_saved_share is {}, not from 0 to 1", options.min_saved_share);
  }
  if (!(options.tolerance >= 0 && options.tolerance < 1)) {
    return invalid_argument("tolerance is {}, not from 0 to below 1", options.tolerance);
  }
  return {};
}

// By node: the slice between the kept cuts in which it lies.
std::vector<uint32_t> slices(const CutHull& hull, const std::vector<size_t>& kept) {
  std::vector<uint32_t> out(hull.order.size());
  for (uint32_t s = 0; s + 1 < kept.size(); ++s) {
    for (uint32_t i = hull.cuts[kept[s]].nodes; i < hull.cuts[kept[s + 1]].nodes; ++i) {
      out[hull.order[i]] = s;
    }
  }
  return out;
}

// A value is retained by the cuts behind its producer up to its last reader.
void fill_retained(const CutProblem& problem, CutChain& chain) {
  for (const CutValue& value : problem.values) {
    const auto whole = static_cast<uint32_t>(chain.cuts.size() - 1);
    uint32_t last = value.external ? whole : 0;
    for (uint32_t reader : value.readers) last = std::max(last, chain.slice_of_node[reader]);
    for (uint32_t cut = chain.slice_of_node[value.producer] + 1; cut <= last; ++cut) {
      chain.cuts[cut].retained.push_back(value.id);
    }
  }
  for (Cut& cut : chain.cuts) std::sort(cut.retained.begin(), cut.retained.end());
}

}  // namespace

Result<CutChain> cut_class(const CutProblem& problem, const CutOptions& options) {
  CA_RETURN_IF_ERROR(check(options));
  if (problem.node_us.empty()) return invalid_argument("a class without nodes has no cuts");
  const CutHull hull = find_cut_hull(problem, options.tolerance);
  const CutChoice choice = choose_cuts(hull, options);
  CutChain chain;
  chain.slice_of_node = slices(hull, choice.kept);
  for (size_t i = 0; i < hull.cuts.size(); ++i) {
    const HullCut& cut = hull.cuts[i];
    const double us = hull.microseconds(cut.ticks);
    if (choice.reasons[i].empty()) {
      chain.cuts.push_back({cut.bytes, us, {}});
    } else {
      chain.rejected.push_back({cut.bytes, us, choice.reasons[i]});
    }
  }
  fill_retained(problem, chain);
  return chain;
}

Result<CutChain> cut_class(const Graph& graph, std::span<const NodeId> class_nodes,
                           std::span<const double> node_us, const CutOptions& options) {
  CA_ASSIGN_OR_RETURN(const CutProblem problem, CutProblemReader(graph).read(class_nodes, node_us));
  return cut_class(problem, options);
}

}  // namespace changeaware
