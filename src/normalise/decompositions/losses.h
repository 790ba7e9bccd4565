// What the loss functions share.
#pragma once

#include "normalise/decompositions/formula.h"

namespace changeaware {

// Makes the result of a loss by the node's `reduction`: none, mean or sum.
void reduce_loss(Formula& f, ValueId loss);
// norm(x - y + eps) over the last dimension, in the dtype of the result.
ValueId distance(Formula& f, ValueId x, ValueId y, double p, double eps, bool keep);

}  // namespace changeaware
