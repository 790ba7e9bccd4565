// Operands: what a control-flow node gives to its bodies.
// Thread safety: const methods may be called concurrently.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace changeaware::mixed {

class Operands {
 public:
  Operands() = default;
  // `values`: in the order of the executable's inputs. InvalidProgram when the argument is neither
  // a value, a number nor a list of such.
  static Result<Operands> read(const Argument& argument, std::span<const ValueId> values);

  size_t size() const { return items_.size(); }
  void append_to(std::vector<Tensor>& out, std::span<const Tensor> inputs) const;

 private:
  struct Item {
    size_t input = 0;
    Tensor fixed;  // defined: known since export
  };
  std::vector<Item> items_;
};

}  // namespace changeaware::mixed
