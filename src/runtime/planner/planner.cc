#include "runtime/planner/planner.h"

#include <algorithm>

#include "base/errors.h"

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;
using Cause = Decision::Cause;

bool is_computed(const ResultInfo& result) {
  return result.output.kind == ProgramOutput::Kind::kPort && !result.source.is_input;
}

bool intersects(const InputWords& a, const InputWords& b) {
  for (size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

// What is demanded of each region, while the walk goes backwards.
class Demand {
 public:
  Demand(const Topology& topology, const std::vector<bool>& wanted, bool all_assertions)
      : topology_(topology), outputs_(topology.output_count, 0), regions_(topology.regions.size()) {
    for (size_t i = 0; i < topology.results.size(); ++i) {
      if (wanted[i] && is_computed(topology.results[i])) add(topology.results[i].source);
    }
    for (size_t r = 0; r < regions_.size(); ++r) {
      if (all_assertions && !topology.regions[r].assertions.empty()) regions_[r] = 1;
    }
  }

  void add(const Source& source) {
    regions_[source.region] = 1;
    outputs_[topology_.regions[source.region].first_output + source.index] = 1;
  }
  void add_inputs_of(const RegionInfo& region) {
    for (const Source& source : region.inputs) {
      if (!source.is_input) add(source);
    }
  }

  bool has(size_t r) const { return regions_[r] != 0; }
  std::vector<uint8_t> outputs() && { return std::move(outputs_); }
  // An entry of the region is there and holds every output that is demanded.
  bool is_met(size_t r, const PlanRequest& request) const {
    if (!request.reuse || request.present[r] == 0) return false;
    const RegionInfo& region = topology_.regions[r];
    const size_t end = region.first_output + region.output_ports.size();
    for (size_t o = region.first_output; o < end; ++o) {
      if (outputs_[o] != 0 && request.available[o] == 0) return false;
    }
    return true;
  }

 private:
  const Topology& topology_;
  std::vector<uint8_t> outputs_;
  std::vector<uint8_t> regions_;
};

Cause cause_of_run(const RegionInfo& region, size_t r, const PlanRequest& request) {
  if (!request.reuse) return Cause::kNoReuse;
  if (request.evicted[r] != 0) return Cause::kEvicted;
  return intersects(region.depends_on, request.changed) ? Cause::kInputChanged
                                                        : Cause::kNotRetained;
}

void plan_steps(const Topology& topology, const PlanRequest& request, PlanChoice& choice) {
  Demand demand(topology, request.wanted, request.all_assertions);
  std::vector<PlanStep>& steps = choice.steps;
  steps.resize(topology.regions.size());
  for (size_t r = steps.size(); r-- > 0;) {
    if (!demand.has(r)) continue;
    if (demand.is_met(r, request)) {
      steps[r] = {Outcome::kReused, Cause::kRetained};
      continue;
    }
    const RegionInfo& region = topology.regions[r];
    steps[r] = {Outcome::kRan, cause_of_run(region, r, request)};
    demand.add_inputs_of(region);
  }
  choice.demanded = std::move(demand).outputs();
}

// What the steps take; OverBudget when one of them cannot be loaded.
Status predict(const Topology& topology, const PlanRequest& request,
               std::span<const RegionCost> costs, uint64_t resident_budget, PlanChoice& choice) {
  for (size_t r = 0; r < choice.steps.size(); ++r) {
    if (choice.steps[r].outcome != Outcome::kRan) continue;
    const RegionCost& cost = costs[r];
    if (cost.resident_bytes > resident_budget) {
      return over_budget("callable '{}' needs {} resident bytes, the budget is {}",
                         topology.regions[r].name, cost.resident_bytes, resident_budget);
    }
    const bool loaded = request.loaded[r] != 0;
    if (!loaded) choice.predicted_load_us += cost.load_us;
    choice.predicted_us += loaded ? cost.warm_us : cost.cold_us;
  }
  choice.predicted_us += choice.predicted_load_us;
  return {};
}

size_t choose(std::span<const StrategyOffer> offers, uint64_t retained_budget) {
  const auto is_better = [&](const StrategyOffer& a, const StrategyOffer& b) {
    const bool a_fits = a.retained_bytes <= retained_budget;
    const bool b_fits = b.retained_bytes <= retained_budget;
    if (a_fits != b_fits) return a_fits;
    if (a_fits && a.forecast_us != b.forecast_us) return a.forecast_us < b.forecast_us;
    return a.retained_bytes < b.retained_bytes;
  };
  return static_cast<size_t>(std::min_element(offers.begin(), offers.end(), is_better) -
                             offers.begin());
}

std::vector<std::string> changed_dependencies(const Topology& topology, const RegionInfo& region,
                                              const InputWords& changed) {
  std::vector<std::string> names;
  for (const auto* list : {&region.dependencies, &region.shape_dependencies}) {
    for (size_t i : *list) {
      if ((changed[i / 64] >> (i % 64) & 1) != 0) names.push_back(topology.inputs[i].port.name);
    }
  }
  return names;
}

}  // namespace

Result<PlanChoice> make_plan(const Topology& topology, std::span<const StrategyOffer> offers,
                             const PlanRequest& request, std::span<const RegionCost> costs,
                             const Budgets& budgets, std::optional<size_t> forced) {
  PlanChoice choice;
  choice.strategy = forced ? *forced : choose(offers, budgets.retained_bytes);
  plan_steps(topology, request, choice);
  CA_RETURN_IF_ERROR(predict(topology, request, costs, budgets.resident_bytes, choice));
  return choice;
}

std::string cause_text(const Topology& topology, const RegionInfo& region, Cause cause,
                       const InputWords& changed) {
  switch (cause) {
    case Cause::kInputChanged:
      return fmt::format("{} changed",
                         fmt::join(changed_dependencies(topology, region, changed), ", "));
    case Cause::kNotRetained: return "its inputs are unchanged, but what is needed is not retained";
    case Cause::kEvicted: return "what is needed was retained and had to make room";
    case Cause::kNoReuse: return "the request reuses nothing";
    case Cause::kRetained: return "retained for these inputs";
    case Cause::kSameContents: return "what it reads was computed again and has the same bits";
    case Cause::kShared: return "another request computed it at the same time";
    case Cause::kNotDemanded: return "no wanted output and no region that runs reads it";
  }
  return "";
}

std::vector<bool> needed_inputs(const Topology& topology, const std::vector<bool>& wanted,
                                bool all_assertions) {
  std::vector<bool> out(topology.inputs.size(), false);
  const Demand demand(topology, wanted, all_assertions);
  for (size_t r = 0; r < topology.regions.size(); ++r) {
    if (!demand.has(r)) continue;
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
