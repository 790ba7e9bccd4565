// Families: the strategies of a package that share callables, ready for planning.
//
// A package has the family of `monolithic` and, when it has segments, theirs. A session stays with
// one family unless a request forces a strategy: the last bits of `main` may differ from those of
// the segments, so answers of both must not mix.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "changeaware/package.h"
#include "package/recipe.h"
#include "runtime/topology.h"

namespace changeaware {

struct Family {
  Topology topology;
  Recipe recipe;
  std::vector<size_t> strategies;  // indices in Manifest::strategies
  // By strategy and output number of the topology: retained for later requests.
  std::vector<std::vector<bool>> retains;
};

// In the order of Manifest::strategies: `monolithic` first, the segments' last.
std::vector<std::unique_ptr<const Family>> make_families(const Manifest& manifest);

}  // namespace changeaware
