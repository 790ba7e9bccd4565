// Aliasing: whether a node's results share memory with an argument.
//
// An operator's schema says which results may be views. Some of these copy when the strides of the
// argument leave no choice (reshape, contiguous, to): the traced sizes and strides decide.
// Some composite operators may return their argument though their schema does not say so.
#pragma once

#include "graph/graph.h"

namespace changeaware {

enum class Sharing : uint8_t {
  kFresh,    // memory of its own
  kSame,     // the argument itself, element for element
  kView,     // some or all elements of the argument
  kUnknown,  // any of these
};

struct Aliasing {
  Sharing sharing = Sharing::kFresh;
  // Index of the shared argument, for kSame and kView.
  size_t argument = 0;
};

// Of all results of `node`. REQUIRES: the node mutates nothing.
Aliasing aliasing_of(const Graph& graph, const Node& node);

enum class Ternary : uint8_t { kNo, kYes, kUnknown };

// Whether a tensor of these traced strides is dense and row-major.
Ternary is_contiguous(const TensorSpec& spec);
// Whether memory of `from` can be read as `to` (of equal element count) without a copy.
// Source: the rule stated in PyTorch's documentation of Tensor.view.
Ternary can_view(const TensorSpec& from, const TensorSpec& to);

}  // namespace changeaware
