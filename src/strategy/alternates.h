// Alternates: another valid value for an example input, so that change can be tried out.
#pragma once

#include "changeaware/tensor.h"

namespace changeaware {

// Same dtype and shape. Floats are a little larger (by 1/128; a tensor of zeros becomes a small
// ramp), so they stay where the program is defined. Everything else is rolled by one place along
// the last dimension with more than one element, so that indices, labels and masks stay in their
// domain; the result may equal `example`, as that of a single integer does.
Tensor alternate_of(const Tensor& example);

}  // namespace changeaware
