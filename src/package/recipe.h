// Recipe: which of a strategy's callables a request runs, worked out from the manifest alone.
//
// The walk goes backwards over values: what is wanted is demanded; a callable of which something is
// demanded is reused when everything demanded of it is retained and none of its dependencies
// changed, else it runs and demands everything that it reads. A callable with assertions also runs
// when a dependency of it changed; one that passed before stays passed while they do not change.
//
// Dependencies are closed over what a callable reads (a reader depends on what its writer depends
// on). So from a callable that runs to a wanted result there is a path of callables that run, along
// which dependencies only grow, and
//   runs(changed A or B) = runs(changed A) with runs(changed B), and the same for what is wanted:
// single inputs and single results decide everything else.
//
// Immutable; thread-safe. Cost of runs(): linear in ports and reads, two allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/package.h"

namespace changeaware {

class Recipe {
 public:
  // `callables`: names in `manifest.callables` in execution order; each reads only program inputs
  // and outputs of those before it. REQUIRES: names that exist (Manifest::validate()).
  Recipe(const Manifest& manifest, std::span<const std::string> callables);

  size_t size() const { return callables_.size(); }                     // number of callables
  size_t callable(size_t place) const { return callables_[place]; }     // in Manifest::callables
  size_t port_count() const { return first_port_.back(); }              // outputs of all, in order
  size_t first_port(size_t place) const { return first_port_[place]; }  // size() = port_count()
  std::optional<size_t> port(std::string_view name) const;
  // Ports that the program returns, increasing, without repetition.
  const std::vector<size_t>& results() const { return results_; }

  // By place: runs when exactly the inputs of `changed` (by Manifest::inputs; their values change,
  // their shapes do not) changed since a request that all results were computed for and of which
  // exactly the ports in `retained` were retained. All results are wanted.
  std::vector<bool> runs(const std::vector<bool>& retained, const std::vector<bool>& changed) const;
  // The same when only the ports `wanted` are wanted; all assertions must still hold.
  std::vector<bool> runs(const std::vector<bool>& retained, const std::vector<bool>& changed,
                         std::span<const size_t> wanted) const;

 private:
  void add_dependencies(const Manifest& manifest, const Callable& callable, size_t place);
  bool meets(size_t place, std::span<const uint64_t> changed) const;

  size_t words_ = 0;  // 64-bit words per set of inputs
  std::vector<size_t> callables_;
  std::vector<size_t> first_port_ = {0};  // by place, and the end
  std::vector<size_t> first_read_ = {0};  // by place, and the end
  std::vector<uint32_t> reads_;           // ports
  std::vector<uint32_t> place_of_port_;
  std::vector<uint64_t> dependencies_;  // words_ per place
  std::vector<uint8_t> asserts_;        // by place
  std::vector<size_t> results_;
  std::map<std::string, size_t, std::less<>> ports_;
};

}  // namespace changeaware
