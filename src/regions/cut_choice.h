// Which cuts of a hull are worth a slice: the rules that cuts.h states.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "regions/cut_hull.h"
#include "regions/cuts.h"

namespace changeaware {

struct CutChoice {
  std::vector<size_t> kept;          // indices into CutHull::cuts, increasing; with both ends
  std::vector<std::string> reasons;  // by index into CutHull::cuts; empty = kept
};

// REQUIRES: options.max_cuts > 0.
CutChoice choose_cuts(const CutHull& hull, const CutOptions& options);

}  // namespace changeaware
