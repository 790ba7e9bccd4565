// Strategies: which boundaries are retained between requests, chosen from the cuts of the classes.
//
// A candidate takes one choice (one cut) per class; all of them where the product is small, else
// those that a price per byte picks (nested), and each choice of each class beside nothing and
// beside everything of the others. `monolithic` runs `main` and retains nothing.
//
// What a candidate runs is simulated with Recipe for every set of changed inputs, and costs the sum
// of the callables' measured times. In this order are turned down, each with its reason:
//   - dominated candidates (pareto.h), by runs and then by times, naming a better one that stays;
//   - those that retain more than the budget;
//   - those beyond `max_strategies`: `monolithic` and the one that retains most stay, then those
//     that lower the best achievable time most, summed over budgets and sets of changed inputs.
// So the best achievable time for a budget and a set of changed inputs is what it was with all
// candidates, unless `max_strategies` cut something off.
//
// Names: "full_retention" takes the last choice of every class, "no_retention" retains nothing,
// others list the classes with a choice: "image@4194304+text@0".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "changeaware/package.h"

namespace changeaware {

// One dependency class: what may be retained of it.
struct ClassCuts {
  std::string label;  // "image"; unique
  struct Choice {
    uint64_t bytes = 0;
    std::vector<std::string> retained;  // ports
  };
  std::vector<Choice> choices;  // from nothing to the whole frontier; not empty
};

struct StrategyOptions {
  size_t max_strategies = 16;  // at least 1: `monolithic`
  uint64_t retained_budget_bytes = UINT64_MAX;
};

struct StrategySet {
  // `monolithic` first, then by retained bytes. bits_of_main and difference_from_main are for who
  // executes them.
  std::vector<Strategy> strategies;
  // One per candidate that was turned down; beyond 64 the rest is counted in one more.
  std::vector<Rejection> rejections;
  uint64_t candidates = 0;  // `monolithic` included
};

// `manifest`: callables (main first, then segments in execution order) with dependencies, ports and
// costs; its strategies are not looked at. REQUIRES: callables that validate; ports that exist.
StrategySet choose_strategies(const Manifest& manifest, const std::vector<ClassCuts>& classes,
                              const StrategyOptions& options);

}  // namespace changeaware
