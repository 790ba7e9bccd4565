// Symbolic sizes as polynomials, by their values at points.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace changeaware {

// The value of a size at one point: symbols get values that depend on their name and `point` only.
// Nothing when the expression has anything but +, -, *, ** and parentheses, or a value overflows.
// Two polynomials that agree at several points are equal unless by an accident.
std::optional<int64_t> value_at(const Dim& dim, uint32_t point);

}  // namespace changeaware
