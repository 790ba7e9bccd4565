// The check of one strategy against what was executed.
#pragma once

#include <string>

#include "changeaware/package.h"
#include "strategy/execution.h"

namespace changeaware {

struct StrategyCheck {
  bool equal = true;         // to full runs bit by bit, to `main` within the tolerance
  bool bits_of_main = true;  // on every set
  // The first difference: output, element, both values. Where the strategy is equal, how its last
  // bits differ from those of `main`.
  std::string difference;
};

// For every executed set of changed inputs, walks what the strategy runs then, by its recipe and,
// where they differ, by its stated MaskCost::runs. Every value that something running reads or the
// program returns must be computed in that run, or be retained and have the bits that a full run
// would give it; and the full run must agree with `main` within the tolerance.
// REQUIRES: manifest.validate() is OK but for the strategies' order; `execution` is of its
// callables.
StrategyCheck check_strategy(const Manifest& manifest, const Strategy& strategy,
                             const Execution& execution);

}  // namespace changeaware
