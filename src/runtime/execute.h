// Runs what a plan says, region by region.
#pragma once

#include <functional>

#include "runtime/executables.h"
#include "runtime/request.h"

namespace changeaware {

// Asked before a region runs: true when it filled the region's outputs and step instead.
using SpareRegion = std::function<bool(RequestState& state, size_t region)>;

// Fills RegionState::outputs and times of every region that runs. Publishes nothing.
// Errors: those of loading and running a callable; OverBudget; Unsupported for a tagged input whose
// values the engine does not compute exactly; FailedAssertion with the program's message.
Status execute_plan(RequestState& state, ExecutableStore& executables, uint64_t resident_budget,
                    const SpareRegion& spare);

}  // namespace changeaware
