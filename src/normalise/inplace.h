// In-place operators: their pure counterparts.
#pragma once

#include <optional>

#include "graph/graph.h"
#include "normalise/rewriter.h"

namespace changeaware {

// One call of an in-place operator. Arguments are of the new graph.
struct InplaceCall {
  const Node& node;  // as in the old graph
  const std::vector<Argument>& args;
  ValueId target = kNoId;  // what it writes to, before the write
  Value result;            // name and spec that the target's new content is to have
};

// Index of the argument that `node` writes to. Unsupported when it is an out= argument, a list, or
// one of several.
Result<size_t> mutated_argument(const Node& node);

// The operator that makes a view where `node` changes sizes and strides in place (unsqueeze_, t_,
// detach_, …); nullptr when it does something else.
const OpSchema* metadata_counterpart(const Node& node);

// Emits the target's content after the call: with the target's dtype and sizes. Unsupported when
// the operator has no pure counterpart of the same arguments.
Result<ValueId> emit_pure(Rewriter& rewriter, const InplaceCall& call);

// The dtype of an elementwise result over these tensors, nothing when PyTorch has none.
// Source: PyTorch's documentation of torch.result_type (tensor attributes, type promotion).
struct PromotionOperand {
  DType dtype;
  bool zero_dim;
};
std::optional<DType> promote(const std::vector<PromotionOperand>& operands);

}  // namespace changeaware
