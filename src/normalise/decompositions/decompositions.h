// The decompositions, by family. Each is PyTorch's own definition of the operator, as its
// documentation states it; what the engines compute as it is has no entry.
#pragma once

#include <span>
#include <string_view>

#include "normalise/decompositions/builder.h"

namespace changeaware {

struct Decomposition {
  std::string_view name;    // "aten.trunc.default"
  void (*apply)(Builder&);  // makes the first result, or fails
};

// The same computation under another operator. Arguments of equal name are passed on.
struct Rename {
  std::string_view from;
  std::string_view to;
  struct Pair {
    std::string_view to;
    std::string_view from;
  };
  Pair pairs[5] = {};                // arguments with other names
  std::string_view ignored[3] = {};  // arguments of `from` that change no result; a flag: when off
};

std::span<const Rename> renames();
std::span<const Decomposition> pointwise_decompositions();
std::span<const Decomposition> fill_decompositions();
std::span<const Decomposition> shape_decompositions();
std::span<const Decomposition> reduction_decompositions();

}  // namespace changeaware
