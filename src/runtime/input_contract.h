// InputContract: which tensors the inputs of a program accept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "changeaware/package.h"
#include "changeaware/tensor.h"
#include "graph/expression.h"

namespace changeaware {

// Immutable; const methods may be called concurrently.
class InputContract {
 public:
  explicit InputContract(const Manifest& manifest);

  // `given` by program input, not defined where the request has none. InvalidArgument naming the
  // input, what it is and what it must be: dtype, rank, fixed sizes, symbols that differ between
  // inputs or leave their range.
  Status check(const std::vector<Tensor>& given) const;

 private:
  struct Size {
    int64_t fixed = -1;  // -1: symbolic
    std::string expression;
  };
  struct Input {
    std::string name;
    DType dtype;
    std::vector<Size> sizes;
    std::string text;  // "float32 [1, s0]"
  };

  static Status mismatch(const Input& input, const Tensor& tensor);
  Status check_one(const Input& input, const Tensor& tensor, SymbolValues& symbols) const;
  Status check_expressions(const Input& input, const Tensor& tensor, SymbolValues& symbols) const;
  Status check_bounds(const std::string& symbol, int64_t value, const std::string& input) const;

  std::vector<Input> inputs_;
  std::map<std::string, SymbolBounds> bounds_;
};

}  // namespace changeaware
