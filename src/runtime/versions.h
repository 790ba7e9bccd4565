// Versions: what identifies the contents of an input.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "changeaware/tensor.h"

namespace changeaware {

// A 128-bit keyed fingerprint of dtype, shape and bytes, or a caller's tag. Equal strings mean
// equal contents.
using Version = std::string;

struct Fingerprint {
  Version version;
  Status values;  // what check_values() says of them
};

// Fingerprints with XXH3 (xxHash, 128 bits) under a secret drawn at random per object, so that
// nobody can prepare two inputs that collide. The framing covers dtype, rank and sizes; elements
// count in logical order, so equal values in another layout are equal, while -0.0 differs from 0.0
// and a NaN equals itself bit for bit.
// Thread safety: const methods may be called concurrently.
class Fingerprinter {
 public:
  Fingerprinter();

  // One pass over the bytes, which also checks them. Internal when memory runs out.
  Result<Fingerprint> fingerprint(const std::string& input, const Tensor& tensor) const;
  // The same version without looking at the values. Empty when memory runs out.
  Version print(const Tensor& tensor) const;

 private:
  // Calls visit(block, bytes) before each block is hashed.
  template <class Visit>
  Version hash(const Tensor& tensor, Visit visit) const;

  static constexpr size_t kSecretBytes = 192;
  std::array<std::byte, kSecretBytes> secret_;
};

// The version of a caller's tag; never equal to a fingerprint.
Version tag_version(const std::string& tag);

// Unsupported naming the input when it holds an int64 outside int32 (the engine computes integers
// in 32 bits) or a NaN (comparisons and extrema of the engine do not follow IEEE 754 for it).
Status check_values(const std::string& input, const Tensor& tensor);

}  // namespace changeaware
