#include "runtime/strategies.h"

#include <map>
#include <set>

namespace changeaware {
namespace {

std::vector<bool> retained_outputs(const Topology& topology, const Strategy& strategy) {
  const std::set<std::string> names(strategy.retained.begin(), strategy.retained.end());
  std::vector<bool> out;
  for (const RegionInfo& region : topology.regions) {
    for (const Port& port : region.output_ports) out.push_back(names.contains(port.name));
  }
  return out;
}

}  // namespace

std::vector<std::unique_ptr<const Family>> make_families(const Manifest& manifest) {
  std::vector<std::unique_ptr<const Family>> out;
  std::map<std::vector<std::string>, Family*> by_callables;
  for (size_t s = 0; s < manifest.strategies.size(); ++s) {
    const Strategy& strategy = manifest.strategies[s];
    Family*& family = by_callables[strategy.callables];
    if (family == nullptr) {
      auto made = std::make_unique<Family>(Family{make_topology(manifest, strategy.callables),
                                                  Recipe(manifest, strategy.callables),
                                                  {},
                                                  {}});
      family = made.get();
      out.push_back(std::move(made));
    }
    family->strategies.push_back(s);
    family->retains.push_back(retained_outputs(family->topology, strategy));
  }
  return out;
}

}  // namespace changeaware
