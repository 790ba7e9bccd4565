// Results without elements are told by their sizes alone.
#pragma once

#include "normalise/rewriter.h"

namespace changeaware {

// Whether `node` computes tensors only, all of fixed sizes, that hold no element; then they are
// made without it. Errors: those of Rewriter::emit.
Result<bool> answer_without_elements(Rewriter& rewriter, const Node& node);

}  // namespace changeaware
