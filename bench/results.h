// Results as one JSON document.
#pragma once

#include <string>
#include <vector>

#include "bench/scenarios.h"

namespace changeaware::bench {

std::string results_to_json(const std::vector<ScenarioResult>& results, int threads);

}  // namespace changeaware::bench
