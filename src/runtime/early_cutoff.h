// Early cutoff: a region is not run when what it reads, though computed again, has the bits of what
// it was run on before.
//
// Sound because a region is a function of the tensors it reads, and the key holds a keyed 128-bit
// fingerprint of each (dtype, shape and bytes: -0.0 differs from 0.0). Known from build systems
// (Mokhov, Mitchell, Peyton Jones: Build Systems à la Carte, ICFP 2018).
//
// Fingerprints are taken only where they cost little against running the reader.
#pragma once

#include "runtime/planner/cost_model.h"
#include "runtime/request.h"

namespace changeaware {

// Takes the fingerprints of what region `r` reads that are missing, unless that would cost more
// than a small share of `region_us`, and returns the key of its contents; nothing when one is
// missing. REQUIRES: what it reads is there.
std::optional<RetainedCache::Key> take_contents_key(RequestState& state, size_t r, double region_us,
                                                    const Fingerprinter& fingerprinter,
                                                    RetainedCache& cache);

// Whether region `r`, planned to run, reads something that this request computed again, so that a
// look at its contents may spare it.
bool may_cut_off(const RequestState& state, size_t r);

}  // namespace changeaware
