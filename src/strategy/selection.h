// Selection: the few strategies that lower the best achievable time most.
#pragma once

#include <cstddef>
#include <vector>

#include "strategy/pareto.h"

namespace changeaware {

// Indices of at most `most` profiles, increasing. `monolithic` and the one that retains most always
// stay (in this order, if there is room for one only); then, one by one, the profile that lowers
// most the best achievable times, summed over retained budgets (the bytes of the profiles, at most
// 32 of them) and changes. Of equal ones the first.
std::vector<size_t> select_profiles(const std::vector<Profile>& profiles, size_t most);

}  // namespace changeaware
