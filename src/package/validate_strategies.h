// The part of Manifest::validate() that concerns strategies.
#pragma once

#include <cmath>

#include "changeaware/package.h"

namespace changeaware {

// A time, a size, a tolerance: finite and not negative.
inline bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

// Corrupt, naming strategy and field. REQUIRES: inputs, outputs and callables are valid.
Status validate_strategies(const Manifest& manifest);

}  // namespace changeaware
