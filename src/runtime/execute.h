// Runs what a plan says, region by region.
#pragma once

#include "runtime/executables.h"
#include "runtime/request.h"

namespace changeaware {

// Fills RegionState::outputs and engine_us of every region that runs. Publishes nothing.
// Errors: those of loading and running a callable; Unsupported for a tagged input whose values the
// engine does not compute exactly; FailedAssertion with the program's message.
Status execute_plan(RequestState& state, ExecutableStore& executables);

}  // namespace changeaware
