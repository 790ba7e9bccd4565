// separate_shared_weights: keeps OpenVINO from confusing two uses of one constant.
//
// The CPU plug-in packs weights and finds a packed copy again by the address of the constant, its
// shape and the packed format. A square matrix that one operator reads as it is and another reads
// transposed has all three in common, and the second use silently gets the first one's copy
// (WeightCopies.ASquareWeightMayBeReadBothWays shows it). So each way of using a constant beyond
// the first gets a constant of its own.
#pragma once

#include <openvino/openvino.hpp>

namespace changeaware::ovn {

// Only constants that packing operators (matrix products, convolutions, recurrent cells) read in
// more than one way are copied: once per further way, into memory of the model's own.
void separate_shared_weights(ov::Model& model);

}  // namespace changeaware::ovn
