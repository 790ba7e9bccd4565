// The planner: which regions a request runs, which it reuses, and why. A pure function; it touches
// no cache and runs nothing.
//
// Demand-driven: starting from the wanted results, a region whose outputs are retained under the
// right key is used; else it runs, and what it reads is needed in turn.
#pragma once

#include <string>
#include <vector>

#include "changeaware/session.h"
#include "runtime/topology.h"

namespace changeaware {

struct PlanRequest {
  std::vector<bool> wanted;  // by result
  bool all_assertions =
      false;                  // regions that decide assertions are needed though nothing reads them
  std::vector<bool> changed;  // by program input, against the previous request
  std::vector<bool> retained;  // by region: its outputs are there under this request's key
};

struct PlanStep {
  Decision::Outcome outcome = Decision::Outcome::kNotNeeded;
  std::string reason;
};

// One step per region, in execution order.
std::vector<PlanStep> make_plan(const Topology& topology, const PlanRequest& request);

// Program inputs that the wanted results and assertions depend on, by value or shape.
std::vector<bool> needed_inputs(const Topology& topology, const std::vector<bool>& wanted,
                                bool all_assertions);

}  // namespace changeaware
