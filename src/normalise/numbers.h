// Arithmetic on numbers known at compile time, as Python defines it.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace changeaware {

// The result of an operator on numbers (`_operator.*`, `torch.sym_*`); nothing when an argument is
// not known, the operator is none of these, or the result does not fit.
std::optional<Argument> evaluate(const OpSchema& op, const std::vector<Argument>& args);

}  // namespace changeaware
