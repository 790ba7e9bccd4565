// Candidates: one choice per class, all combinations or a bounded part of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "strategy/strategies.h"

namespace changeaware {

using Choices = std::vector<uint32_t>;  // by class: index in ClassCuts::choices

// All combinations where there are at most `limit`. Else at most `limit` of
//   - those that a price per byte picks: every class retains another step exactly where that saves
//     more time per byte than the price, so they are nested, from nothing to everything;
//   - each choice of each class beside nothing, and beside everything, of the other classes.
// `total_us`: what the changes cost together with these choices. In lexicographic order, without
// repetition; the first choice of every class and the last of every class are always there.
// REQUIRES: limit >= 2, no class without choices.
std::vector<Choices> enumerate_candidates(const std::vector<ClassCuts>& classes, size_t limit,
                                          const std::function<double(const Choices&)>& total_us);

}  // namespace changeaware
