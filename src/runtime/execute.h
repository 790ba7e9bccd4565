// Runs what a plan says, region by region.
#pragma once

#include "runtime/executables.h"
#include "runtime/request.h"

namespace changeaware {

// What a session does around each region that is planned to run.
class RegionHooks {
 public:
  virtual ~RegionHooks() = default;
  // True when it filled the region's outputs and step instead of a run.
  virtual Result<bool> spare(RequestState& state, size_t region) = 0;
  // After a run for which spare() said false, whatever came of it.
  virtual void ran(RequestState& state, size_t region, const Status& status) = 0;
};

// Fills RegionState::outputs and times of every region that runs. Publishes nothing.
// Errors: Cancelled; those of loading and running a callable; OverBudget; Corrupt when the package
// file was changed in place; FailedAssertion with the program's message.
Status execute_plan(RequestState& state, ExecutableStore& executables, uint64_t resident_budget,
                    RegionHooks& hooks);

}  // namespace changeaware
