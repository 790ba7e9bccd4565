// Classes that there is too little to choose about.
#pragma once

#include <vector>

#include "strategy/strategies.h"

namespace changeaware {

// Takes from `classes` the choice to retain nothing of a class where its whole frontier is small
// and recomputing it would be noticed by nobody: at most `kSmallBytes`, and gaining less than a
// hundredth of the program's time, or than a call. Every strategy then retains it. One rejection
// for each. `manifest`: as for choose_strategies().
inline constexpr uint64_t kSmallBytes = 64 << 10;

std::vector<Rejection> settle_small_classes(const Manifest& manifest,
                                            std::vector<ClassCuts>& classes);

}  // namespace changeaware
