// Sizes and numbers that a program computes from the contents of tensors.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace changeaware {

// Whether contents of an argument decide the sizes, or the number, that `node` gives.
bool shape_depends_on_values(const Graph& graph, const Node& node);

// By ValueId: whether the sizes of the value (of a number: the number) may come from contents. What
// the file says about those is what the program asserts, not what is so: exporting
// `torch._check(n == x.shape[0])` gives n the symbol of that size.
std::vector<bool> data_dependent_values(const Graph& graph);

}  // namespace changeaware
