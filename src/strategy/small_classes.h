// Classes that there is too little to choose about by itself.
#pragma once

#include <vector>

#include "strategy/strategies.h"

namespace changeaware {

// Joins the classes whose retention nobody would notice (it gains less than a hundredth of the
// program's time, or than a call) into one: all of them are retained or none is. Without this, each
// would double the number of strategies. One rejection for each class that was joined. `manifest`:
// as for choose_strategies().
std::vector<Rejection> join_small_classes(const Manifest& manifest,
                                          std::vector<ClassCuts>& classes);

}  // namespace changeaware
