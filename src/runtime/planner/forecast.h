// Forecast: what the next request is expected to take under each strategy.
//
// The sets of inputs that changed in the latest requests are counted with exponentially decaying
// weight. The rest of the weight, and never less than a twentieth, is on every single input with
// equal likelihood. A strategy's forecast is the weighted mean of what it runs for those sets when
// what it retains is there.
// Thread safety: one thread at a time.
#pragma once

#include <span>
#include <vector>

#include "package/recipe.h"
#include "runtime/planner/cost_model.h"
#include "runtime/planner/planner.h"

namespace changeaware {

class Forecast {
 public:
  // `strategies`: indices in manifest.strategies, all with the callables of `recipe`. The manifest
  // and the recipe must outlive this.
  Forecast(const Manifest& manifest, const Recipe& recipe, std::vector<size_t> strategies);

  // A request in which `changed` (by Manifest::inputs) differed from the one before. Nothing
  // changed: no news.
  void record(const std::vector<bool>& changed, const CostModel& costs);
  // By the strategies given.
  std::span<const StrategyOffer> offers() const { return offers_; }

 private:
  struct MaskSeen {
    std::vector<bool> changed;
    double weight = 0;
    std::vector<std::vector<bool>> runs;  // by strategy: places in the recipe
    std::vector<double> us;               // by strategy
  };

  MaskSeen mask_of(std::vector<bool> changed) const;
  void price(MaskSeen& mask, const CostModel& costs) const;
  void sum_up();

  const Recipe& recipe_;
  std::vector<std::vector<bool>> retained_;  // by strategy: ports of the recipe
  std::vector<double> prior_us_;             // by strategy
  std::vector<MaskSeen> masks_;
  std::vector<StrategyOffer> offers_;
};

}  // namespace changeaware
