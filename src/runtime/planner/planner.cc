#include "runtime/planner/planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace changeaware {
namespace {

std::vector<bool> root_regions(const Topology& topology, const std::vector<bool>& wanted,
                               bool all_assertions) {
  std::vector<bool> roots(topology.regions.size(), false);
  for (size_t i = 0; i < topology.results.size(); ++i) {
    const ResultInfo& result = topology.results[i];
    const bool computed =
        result.output.kind == ProgramOutput::Kind::kPort && !result.source.is_input;
    if (wanted[i] && computed) roots[result.source.region] = true;
  }
  for (size_t r = 0; r < roots.size(); ++r) {
    if (all_assertions && !topology.regions[r].assertions.empty()) roots[r] = true;
  }
  return roots;
}

std::string run_reason(const Topology& topology, const RegionInfo& region,
                       const std::vector<bool>& changed) {
  std::vector<std::string> names;
  for (const auto* list : {&region.dependencies, &region.shape_dependencies}) {
    for (size_t i : *list) {
      if (changed[i]) names.push_back(topology.inputs[i].port.name);
    }
  }
  if (names.empty()) return "its inputs are unchanged, but its outputs are not retained";
  return fmt::format("{} changed", fmt::join(names, ", "));
}

}  // namespace

std::vector<PlanStep> make_plan(const Topology& topology, const PlanRequest& request) {
  const std::vector<bool> roots = root_regions(topology, request.wanted, request.all_assertions);
  std::vector<bool> needed = roots;
  std::vector<PlanStep> plan(topology.regions.size());
  for (size_t r = topology.regions.size(); r > 0; --r) {
    const RegionInfo& region = topology.regions[r - 1];
    PlanStep& step = plan[r - 1];
    if (!needed[r - 1]) {
      step.reason = "no wanted output and no region that runs reads it";
    } else if (request.retained[r - 1]) {
      step.outcome = Decision::Outcome::kReused;
      step.reason = "retained for these inputs";
    } else {
      step.outcome = Decision::Outcome::kRan;
      step.reason = run_reason(topology, region, request.changed);
      for (const Source& source : region.inputs) {
        if (!source.is_input) needed[source.region] = true;
      }
    }
  }
  return plan;
}

std::vector<bool> needed_inputs(const Topology& topology, const std::vector<bool>& wanted,
                                bool all_assertions) {
  std::vector<bool> out(topology.inputs.size(), false);
  const std::vector<bool> roots = root_regions(topology, wanted, all_assertions);
  for (size_t r = 0; r < roots.size(); ++r) {
    if (!roots[r]) continue;
    for (size_t i : topology.regions[r].dependencies) out[i] = true;
    for (size_t i : topology.regions[r].shape_dependencies) out[i] = true;
  }
  for (size_t i = 0; i < topology.results.size(); ++i) {
    const ResultInfo& result = topology.results[i];
    if (wanted[i] && result.output.kind == ProgramOutput::Kind::kPort && result.source.is_input) {
      out[result.source.index] = true;
    }
  }
  return out;
}

}  // namespace changeaware
