// RegionInterner: numbers regions so that equal ones have equal numbers.
//
// Invariant: the number of two regions is equal if and only if their canonical bytes are. The
// digest finds candidates; the full comparison decides. Thread safety: none; one thread per object.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"

namespace changeaware {

class RegionInterner {
 public:
  using DigestFunction = std::function<Digest(std::span<const std::byte>)>;
  // Another function than SHA-256 only serves to make digests collide.
  explicit RegionInterner(DigestFunction digest = sha256) : digest_(std::move(digest)) {}

  // The number of the region with these canonical bytes: that of an equal one, or the next of
  // 0, 1, 2, ….
  size_t intern(std::string canonical);

  // Of distinct regions.
  size_t size() const { return regions_.size(); }
  // REQUIRES: region < size(). Valid until the next intern().
  const std::string& canonical(size_t region) const { return regions_[region]; }

 private:
  DigestFunction digest_;
  std::vector<std::string> regions_;
  std::map<Digest, std::vector<size_t>> by_digest_;
};

}  // namespace changeaware
