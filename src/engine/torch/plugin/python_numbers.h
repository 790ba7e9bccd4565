// Python's arithmetic on the symbolic numbers of an exported program: `_operator.*`, `math.*` and
// `torch.sym_*`, which PyTorch's dispatcher does not have.
//
// An integer that leaves 64 bits, where Python's would grow, is an error. So is what Python
// refuses. Thread safety: functions of their arguments. Source: Python 3 language reference,
// "Arithmetic conversions"; torch.sym_* as PyTorch documents.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace changeaware::torch_plugin {

using Number = std::variant<bool, int64_t, double>;

// Throws std::runtime_error with one sentence.
using NumberFunction = Number (*)(std::span<const Number>);

struct NumberOp {
  std::string_view name;  // "_operator.add"
  int arity;              // -1: one list of any length
  NumberFunction function;
};

// nullptr when it is none of them.
const NumberOp* find_number_op(std::string_view name);

}  // namespace changeaware::torch_plugin
