// Names inside symbolic size expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace changeaware {

// "2*s0 + Max(1, s1)" -> {"s0", "s1"}: identifiers that are not function names. In order, with
// repetition.
std::vector<std::string> symbols_in(std::string_view expression);

}  // namespace changeaware
