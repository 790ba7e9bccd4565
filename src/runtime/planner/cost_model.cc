#include "runtime/planner/cost_model.h"

namespace changeaware {

CostModel::CostModel(const Manifest& manifest) {
  for (const Callable& c : manifest.callables) {
    costs_.push_back(
        {{c.costs.steady_us, c.costs.cold_us, c.costs.load_us, c.costs.resident_bytes}});
  }
}

void CostModel::follow(double& mean, double us, bool& has_any) {
  constexpr double kNewest = 0.3;  // weight of the newest observation
  mean = has_any ? (1 - kNewest) * mean + kNewest * us : us;
  has_any = true;
}

void CostModel::observe_run(size_t callable, double us, bool is_cold) {
  Tracked& t = costs_[callable];
  is_cold ? follow(t.now.cold_us, us, t.has_cold) : follow(t.now.warm_us, us, t.has_warm);
}

void CostModel::observe_load(size_t callable, double us) {
  Tracked& t = costs_[callable];
  follow(t.now.load_us, us, t.has_load);
}

}  // namespace changeaware
