#include "strategy/strategy_check.h"

#include <map>
#include <set>
#include <vector>

#include "base/errors.h"
#include "package/recipe.h"

namespace changeaware {
namespace {

using Names = std::set<std::string>;

class Checker {
 public:
  Checker(const Manifest& manifest, const Strategy& strategy, const Execution& execution)
      : m_(manifest),
        s_(strategy),
        e_(execution),
        recipe_(manifest, strategy.callables),
        retained_(strategy.retained.begin(), strategy.retained.end()),
        retained_ports_(recipe_.port_count()) {
    for (const std::string& name : strategy.retained) retained_ports_[*recipe_.port(name)] = true;
    for (const MaskCost& mask : strategy.mask_costs) {
      stated_[{mask.changed.begin(), mask.changed.end()}] = {mask.runs.begin(), mask.runs.end()};
    }
  }

  // What is wrong when exactly these inputs changed; empty = nothing.
  std::string check(const ExecutedSet& set) const {
    const Names changed(set.names.begin(), set.names.end());
    const Names runs = by_recipe(changed);
    std::string wrong = walk(runs, set);
    const auto stated = stated_.find(changed);
    if (!wrong.empty() || stated == stated_.end() || stated->second == runs) return wrong;
    return walk(stated->second, set);
  }

 private:
  Names by_recipe(const Names& changed) const {
    std::vector<bool> bits;
    for (const ProgramInput& input : m_.inputs) bits.push_back(changed.contains(input.port.name));
    const std::vector<bool> runs = recipe_.runs(retained_ports_, bits);
    Names out;
    for (size_t place = 0; place < runs.size(); ++place) {
      if (runs[place]) out.insert(s_.callables[place]);
    }
    return out;
  }

  std::string walk(const Names& runs, const ExecutedSet& set) const {
    Names own;       // ports of this strategy's callables
    Names computed;  // in this run
    for (const std::string& name : s_.callables) {
      const Callable& c = *m_.find_callable(name);
      for (const Port& port : c.outputs) own.insert(port.name);
      if (!runs.contains(name)) continue;
      for (const Port& port : c.inputs) {
        if (!own.contains(port.name) || computed.contains(port.name)) continue;
        const std::string wrong = judge_retained(port.name, set);
        if (!wrong.empty()) return fmt::format("{} reads '{}', which {}", name, port.name, wrong);
      }
      for (const Port& port : c.outputs) computed.insert(port.name);
    }
    for (const ProgramOutput& output : m_.outputs) {
      const std::string& port = output.port.name;
      if (output.kind != ProgramOutput::Kind::kPort || !own.contains(port) ||
          computed.contains(port)) {
        continue;
      }
      const std::string wrong = judge_retained(port, set);
      if (!wrong.empty()) return fmt::format("output '{}' {}", output.name, wrong);
    }
    return "";
  }

  std::string judge_retained(const std::string& port, const ExecutedSet& set) const {
    if (!retained_.contains(port)) {
      return fmt::format("is neither retained nor computed when {} changed", set.label);
    }
    const std::string& change = e_.change(port, set.changed);
    return change.empty() ? "" : fmt::format("{}, when {} changed", change, set.label);
  }

  const Manifest& m_;
  const Strategy& s_;
  const Execution& e_;
  Recipe recipe_;
  Names retained_;
  std::vector<bool> retained_ports_;
  std::map<Names, Names> stated_;  // runs by changed inputs
};

}  // namespace

StrategyCheck check_strategy(const Manifest& manifest, const Strategy& strategy,
                             const Execution& execution) {
  StrategyCheck out;
  if (strategy.callables == std::vector<std::string>{"main"}) return out;
  const Checker checker(manifest, strategy, execution);
  for (const ExecutedSet& set : execution.sets) {
    std::string wrong = set.changed.any() ? checker.check(set) : std::string();
    if (wrong.empty() && !set.within_tolerance) wrong = set.difference;
    if (!wrong.empty()) {
      // Nothing that runs after this could make up for it.
      return {.equal = false, .bits_of_main = false, .difference = std::move(wrong)};
    }
    out.bits_of_main = out.bits_of_main && set.bits_of_main;
    if (out.difference.empty()) out.difference = set.difference;
  }
  return out;
}

}  // namespace changeaware
