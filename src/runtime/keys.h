// Under which keys the outputs of a region are retained: see RetainedCache.
#pragma once

#include <optional>

#include "runtime/request.h"

namespace changeaware {

// Fills RegionState::key of every region. InvalidArgument naming an input that came without a value
// though a region reads its symbolic sizes.
Status make_version_keys(RequestState& state);

// The key of what region `r` reads, or nothing when a fingerprint that it needs was not taken.
std::optional<RetainedCache::Key> contents_key(const RequestState& state, size_t r);

}  // namespace changeaware
