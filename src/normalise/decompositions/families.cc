#include "normalise/decompositions/decompositions.h"

namespace changeaware {

const std::vector<std::span<const Decomposition>>& decomposition_families() {
  static const std::vector<std::span<const Decomposition>> families = {
      pointwise_decompositions(),
      fill_decompositions(),
      shape_decompositions(),
      reduction_decompositions(),
      sum_decompositions(),
      loss_decompositions(),
      class_loss_decompositions(),
      distance_decompositions(),
      product_decompositions(),
      power_decompositions(),
      order_statistic_decompositions(),
      difference_decompositions(),
      diagonal_decompositions(),
      split_decompositions(),
      indexing_decompositions(),
      mask_decompositions(),
      closeness_decompositions(),
      scan_decompositions(),
      sequence_decompositions(),
      chebyshev_decompositions(),
      gamma_decompositions(),
      bag_decompositions(),
  };
  return families;
}

}  // namespace changeaware
