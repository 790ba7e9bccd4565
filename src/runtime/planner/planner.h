// The planner: which regions a request runs, which it reuses, under which strategy, why, and what
// that will take. A pure function of what it is given; it touches no cache and runs nothing.
//
// Demand-driven: starting from the wanted results, a region whose demanded outputs are all retained
// under the right key is used; else it runs, and what it reads is demanded in turn. What is
// retained is exact whichever strategy retained it, and all strategies share the regions, so what
// runs now is the same for all of them. They differ in what is retained for the requests to come:
// the strategy taken is the one with the least time expected of the next request (the forecast)
// among those whose retained bytes fit into the budget. Of equals the one that retains less. Where
// none fits, the one that retains least: the cache then keeps of it what fits.
//
// Cost: linear in regions and their inputs, plus one comparison per strategy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "changeaware/session.h"
#include "runtime/topology.h"

namespace changeaware {

// What the request asks and what is there for it.
struct PlanRequest {
  std::vector<bool> wanted;  // by result
  // Regions that decide assertions are needed though nothing reads them.
  bool all_assertions = false;
  bool reuse = true;
  InputWords changed;              // against the previous request
  std::vector<uint8_t> available;  // by output number: retained under this request's key
  std::vector<uint8_t> present;    // by region: an entry is there, whatever it holds
  std::vector<uint8_t> evicted;    // by region: an entry was there and had to make room
  std::vector<uint8_t> loaded;     // by region: its callable is ready
};

struct RegionCost {
  double warm_us = 0;
  double cold_us = 0;  // first run after loading
  double load_us = 0;
  uint64_t resident_bytes = 0;
};

struct StrategyOffer {
  uint64_t retained_bytes = 0;
  double forecast_us = 0;  // expected of the next request when this strategy retains
};

struct Budgets {
  uint64_t retained_bytes = UINT64_MAX;
  uint64_t resident_bytes = UINT64_MAX;
};

struct PlanStep {
  Decision::Outcome outcome = Decision::Outcome::kNotNeeded;
  Decision::Cause cause = Decision::Cause::kNotDemanded;
};

struct PlanChoice {
  size_t strategy = 0;            // index in `offers`
  std::vector<PlanStep> steps;    // by region
  std::vector<uint8_t> demanded;  // by output number
  double predicted_us = 0;        // of running, and of loading what is not loaded
  double predicted_load_us = 0;
};

// `costs` by region. `forced`: an index in `offers`, taken whatever it retains. Errors: OverBudget
// naming the callable that does not fit into the resident budget even alone.
Result<PlanChoice> make_plan(const Topology& topology, std::span<const StrategyOffer> offers,
                             const PlanRequest& request, std::span<const RegionCost> costs,
                             const Budgets& budgets, std::optional<size_t> forced = std::nullopt);

// The cause in words: "image changed".
std::string cause_text(const Topology& topology, const RegionInfo& region, Decision::Cause cause,
                       const InputWords& changed);

// Program inputs that the wanted results and assertions depend on, by value or shape.
std::vector<bool> needed_inputs(const Topology& topology, const std::vector<bool>& wanted,
                                bool all_assertions);

}  // namespace changeaware
