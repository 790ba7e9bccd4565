// Which sets of changed inputs are executed.
#pragma once

#include <vector>

#include "analysis/input_set.h"

namespace changeaware {

// The empty set first (nothing changed), then every other set: smaller ones first.
// REQUIRES: input_count < 20.
std::vector<InputSet> all_change_sets(size_t input_count);

// A covering sample: the empty set, each input alone, all but each, all. For any two inputs, each
// of "neither", "only one", "only the other" and "both" occurs. No more sets than
// all_change_sets().
std::vector<InputSet> covering_change_sets(size_t input_count);

}  // namespace changeaware
