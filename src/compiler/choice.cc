#include "compiler/choice.h"

#include <set>
#include <utility>

#include "base/errors.h"
#include "package/validate_strategies.h"
#include "strategy/region_runner.h"
#include "strategy/small_classes.h"
#include "strategy/strategy_check.h"

namespace changeaware {
namespace {

void append(std::vector<Rejection>& to, const std::vector<Rejection>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void drop_unused_callables(Manifest& manifest, std::vector<ExportedProgram>& regions) {
  std::set<std::string> used = {"main"};
  for (const Strategy& s : manifest.strategies) used.insert(s.callables.begin(), s.callables.end());
  std::erase_if(manifest.callables, [&](const Callable& c) { return !used.contains(c.name); });
  std::erase_if(regions, [&](const ExportedProgram& r) { return !used.contains(r.name); });
}

}  // namespace

Status check_options(const CompileOptions& options) {
  if (options.max_strategies < 1)
    return invalid_argument("max_strategies is 0, at least 1 is needed");
  const std::pair<const char*, double> amounts[] = {{"rtol", options.tolerance.rtol},
                                                    {"atol", options.tolerance.atol},
                                                    {"of_scale", options.tolerance.of_scale}};
  for (const auto& [name, value] : amounts) {
    if (!is_amount(value)) return invalid_argument("tolerance: {} is {}", name, value);
  }
  return {};
}

Status check_execution(const std::string& model_path, const Execution& execution) {
  for (const ExecutedSet& set : execution.sets) {
    if (!set.contradicts_main) continue;
    return unsupported(
        "{}: the engine computes the program and its segments differently, so one of them is "
        "wrong: {}",
        model_path, set.difference);
  }
  return {};
}

void set_costs(const std::vector<ExportedProgram>& regions,
               const std::optional<Execution>& execution, Manifest& manifest) {
  for (size_t i = 0; i < manifest.callables.size(); ++i) {
    Callable& c = manifest.callables[i];
    c.costs = execution ? execution->costs[i] : nominal_costs(regions[i].graph, c.weight_bytes);
  }
}

void add_strategies(std::vector<ClassCuts> classes, const CompileOptions& options,
                    Manifest& manifest) {
  append(manifest.rejections, join_small_classes(manifest, classes));
  StrategySet chosen = choose_strategies(manifest, classes,
                                         {.max_strategies = options.max_strategies,
                                          .retained_budget_bytes = options.retained_budget_bytes});
  manifest.strategies = std::move(chosen.strategies);
  manifest.strategy_candidates = chosen.candidates;
  append(manifest.rejections, chosen.rejections);
}

void keep_equal_strategies(const Execution& execution, Manifest& manifest,
                           std::vector<ExportedProgram>& regions) {
  std::vector<Strategy> kept;
  for (Strategy& strategy : manifest.strategies) {
    StrategyCheck check = check_strategy(manifest, strategy, execution);
    if (!check.equal) {
      manifest.rejections.push_back(
          {strategy.name, fmt::format("not equal when executed: {}", check.difference)});
      continue;
    }
    strategy.bits_of_main = check.bits_of_main;
    strategy.difference_from_main = std::move(check.difference);
    kept.push_back(std::move(strategy));
  }
  manifest.strategies = std::move(kept);
  if (!execution.is_complete) {
    manifest.rejections.push_back(
        {"other sets of changed inputs", "masks executed: " + execution.coverage});
  }
  append(manifest.rejections, execution.left_out);
  manifest.verified = true;
  drop_unused_callables(manifest, regions);
}

}  // namespace changeaware
