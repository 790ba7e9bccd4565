// Symbolic sizes in two notations: the constructor form that PyTorch writes into files
// ("Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(1))", SymPy's srepr)
// and the infix form of graphs ("2*s0 + 1", SymPy's str).
//
// Errors: Corrupt (constructor form) and InvalidArgument (infix form), quoting the expression.
#pragma once

#include <string>
#include <string_view>

#include "changeaware/status.h"

namespace changeaware {

Result<std::string> infix_from_srepr(std::string_view text);
Result<std::string> srepr_from_infix(std::string_view text);

// Whether a symbol of the infix form stands for a number that only a run can tell ("u0").
bool has_unbacked_symbol(std::string_view infix);

}  // namespace changeaware
