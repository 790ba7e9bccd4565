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
#include <vector>

namespace changeaware {

// A name alone, no arithmetic: "s0" and not "2*s0".
bool is_symbol(std::string_view expression);

// Stands for a number that only a run can tell ("u0", of floats "zuf0"): no input defines it.
bool is_unbacked_symbol(std::string_view symbol);

// "2*s0 + Max(1, s1)" -> {"s0", "s1"}: identifiers that are not function names. In order, with
// repetition.
std::vector<std::string> symbols_in(std::string_view expression);

using SymbolValues = std::map<std::string, int64_t, std::less<>>;

// Nothing when the expression has an unknown symbol or function, divides by zero or overflows.
std::optional<int64_t> evaluate_expression(std::string_view expression,
                                           const SymbolValues& symbols);

enum class SizeMatch : uint8_t { kMatches, kDiffers, kUnknown };

// Whether a size of this expression can be `size`. An expression with one symbol that `symbols`
// lacks, and that is linear in it ("4*s0", "s0 + 1"), defines it: the symbol gets its value;
// kDiffers when no integer is. kUnknown: more symbols are missing, or it is not linear.
SizeMatch match_size(std::string_view expression, int64_t size, SymbolValues& symbols);

}  // namespace changeaware
