// CostModel: what loading and running each callable takes. Starts from what the package says and
// follows what is observed, each as an exponentially weighted mean: warm runs, cold runs (the first
// after loading) and loading apart.
// Thread safety: one thread at a time.
#pragma once

#include <vector>

#include "changeaware/package.h"
#include "runtime/planner/planner.h"

namespace changeaware {

class CostModel {
 public:
  explicit CostModel(const Manifest& manifest);

  // By index in Manifest::callables.
  const RegionCost& cost(size_t callable) const { return costs_[callable].now; }
  void observe_run(size_t callable, double us, bool is_cold);
  void observe_load(size_t callable, double us);

 private:
  struct Tracked {
    RegionCost now;
    // The first observation replaces a value of another machine.
    bool has_warm = false, has_cold = false, has_load = false;
  };

  static void follow(double& mean, double us, bool& has_any);

  std::vector<Tracked> costs_;
};

}  // namespace changeaware
