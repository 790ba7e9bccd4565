// What of a request is retained for later ones.
#pragma once

#include <vector>

#include "runtime/request.h"

namespace changeaware {

// The regions that ran and have something to retain, in the order of storing. Everything pinned or
// stored by a request stays until it ends, so its own entries never push each other out. What other
// regions read comes first; then the largest, which leaves small results to fill the rest. Regions
// that were reused or have nothing to retain are marked as such.
// `retains`: by output number of the topology, what the strategy retains.
std::vector<size_t> retention_order(RequestState& state, const std::vector<bool>& retains);

// Outputs of region `r` that the strategy retains; of a region that depends on every input, its
// results, which only an exact repeat of the request could use. The cost is left open.
RetainedCache::Candidate retention_candidate(const RequestState& state, size_t r,
                                             const std::vector<bool>& retains);

}  // namespace changeaware
