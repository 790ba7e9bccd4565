// Values of symbolic sizes: the integer expressions that PyTorch prints through SymPy.
//
// Understood: integers, symbols, + - * // % unary -, parentheses, and Max, Min, Mod, PythonMod,
// FloorDiv, CleanDiv, abs/Abs of such. Division follows Python (floor).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace changeaware {

// A name alone, no arithmetic: "s0" and not "2*s0".
bool is_symbol(std::string_view expression);

using SymbolValues = std::map<std::string, int64_t, std::less<>>;

// Nothing when the expression has an unknown symbol or function, divides by zero or overflows.
std::optional<int64_t> evaluate_expression(std::string_view expression,
                                           const SymbolValues& symbols);

}  // namespace changeaware
