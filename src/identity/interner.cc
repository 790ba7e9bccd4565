#include "identity/interner.h"

namespace changeaware {

size_t RegionInterner::intern(std::string canonical) {
  std::vector<size_t>& candidates =
      by_digest_[digest_(std::as_bytes(std::span(canonical.data(), canonical.size())))];
  for (size_t region : candidates) {
    if (regions_[region] == canonical) return region;
  }
  candidates.push_back(regions_.size());
  regions_.push_back(std::move(canonical));
  return candidates.back();
}

}  // namespace changeaware
