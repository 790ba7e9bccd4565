// Keeps what follows a reduction from being fused into it.
//
// The CPU plug-in computes an element-wise operation with a constant inside the reduction before
// it, and reads the constant at wrong places for many shapes: sums of f32[10, 5, 5] over the last
// dimension divided by 5, or added to a row of 5, are wrong without an error. A change of shape in
// between, which costs nothing, ends the fusion.
#pragma once

#include <openvino/core/model.hpp>

namespace changeaware::ovn {

// Reductions that keep their dimensions drop them and get them back, and the other way round, where
// a single element-wise operation reads the result. Quotients of such results by one float32 number
// become products with its inverse, which is off by one in the last place at most.
void keep_reductions_apart(ov::Model& model);

}  // namespace changeaware::ovn
