// Results as one JSON document.
#pragma once

#include <string>
#include <vector>

#include "bench/scenarios.h"
#include "bench/traces.h"

namespace changeaware::bench {

struct Results {
  int threads = 0;
  std::vector<ScenarioResult> scenarios;
  std::vector<TraceResult> traces;
  std::vector<BudgetResult> budgets;
};

std::string results_to_json(const Results& results);

}  // namespace changeaware::bench
