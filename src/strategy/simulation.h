// Simulation: what a strategy runs and costs for every change, from the manifest alone.
//
// Only single changed inputs with single results are walked; all others are unions (recipe.h).
#pragma once

#include <boost/dynamic_bitset.hpp>

#include <string>
#include <vector>

#include "changeaware/package.h"
#include "package/recipe.h"
#include "strategy/pareto.h"

namespace changeaware {

class Simulation {
 public:
  using Places = boost::dynamic_bitset<uint64_t>;  // callables, in execution order

  // The callables of one family of strategies. `manifest` must outlive it. REQUIRES: as Recipe.
  Simulation(const Manifest& manifest, std::vector<std::string> callables);

  // `retained`: ports of the callables.
  Profile profile(const std::vector<std::string>& retained, uint64_t retained_bytes) const;
  Strategy strategy(std::string name, const std::vector<std::string>& retained,
                    uint64_t retained_bytes) const;
  // Walks per profile.
  size_t walks() const { return inputs_.size() * results_.size(); }

 private:
  std::vector<Places> walk(const std::vector<std::string>& retained) const;
  Places runs_of_mask(const std::vector<Places>& walks, const std::vector<size_t>& mask) const;
  double sum(const Places& runs, double CallableCosts::*cost) const;

  const Manifest& manifest_;
  const std::vector<std::string> callables_;
  const Recipe recipe_;
  std::vector<size_t> inputs_;                // in Manifest::inputs, without fixed ones
  std::vector<std::vector<size_t>> results_;  // each result alone; one empty set if there is none
  std::vector<std::vector<size_t>> masks_;
};

}  // namespace changeaware
