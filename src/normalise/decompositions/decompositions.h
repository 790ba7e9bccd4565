// The decompositions, by family. Each is PyTorch's own definition of the operator, as its
// documentation states it; what the engines compute as it is has no entry.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "normalise/decompositions/builder.h"

namespace changeaware {

struct Decomposition {
  std::string_view name;    // "aten.trunc.default"
  void (*apply)(Builder&);  // makes the results, or refuses: then the node stays as it is
  size_t results = 1;       // how many of a tuple are made; when more are read, the node stays
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
// Every family below that decompose() uses.
const std::vector<std::span<const Decomposition>>& decomposition_families();

std::span<const Decomposition> pointwise_decompositions();
std::span<const Decomposition> fill_decompositions();
std::span<const Decomposition> shape_decompositions();
std::span<const Decomposition> reduction_decompositions();
std::span<const Decomposition> sum_decompositions();
std::span<const Decomposition> loss_decompositions();
std::span<const Decomposition> class_loss_decompositions();
std::span<const Decomposition> distance_decompositions();
std::span<const Decomposition> product_decompositions();
std::span<const Decomposition> power_decompositions();
std::span<const Decomposition> order_statistic_decompositions();
std::span<const Decomposition> difference_decompositions();
std::span<const Decomposition> diagonal_decompositions();
std::span<const Decomposition> split_decompositions();
std::span<const Decomposition> indexing_decompositions();
std::span<const Decomposition> mask_decompositions();
std::span<const Decomposition> closeness_decompositions();
std::span<const Decomposition> scan_decompositions();
std::span<const Decomposition> sequence_decompositions();
std::span<const Decomposition> chebyshev_decompositions();
std::span<const Decomposition> gamma_decompositions();
std::span<const Decomposition> bag_decompositions();
// Operators that have no kernel, for every engine: the bits are PyTorch's.
std::span<const Decomposition> quantized_definitions();

}  // namespace changeaware
