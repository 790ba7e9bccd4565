// ParameterDigests: SHA-256 of the contents of constants, each computed once.
//
// The digest is over the elements in row-major order, as stored (least significant byte first on
// every machine this library supports), whatever the strides. Views of the same memory with the
// same sizes and strides are computed once, also when they are different Tensor or Storage objects.
// Ownership: keeps the storage of every tensor that it has seen, so that an address cannot come to
// mean something else. REQUIRES: nobody writes to that storage meanwhile.
// Thread safety: none; one thread per object.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/digest.h"
#include "changeaware/tensor.h"

namespace changeaware {

class ParameterDigests {
 public:
  // REQUIRES: tensor.defined().
  const Digest& digest(const Tensor& tensor);

  // Takes a digest as computed. REQUIRES: it is the tensor's.
  void seed(const Tensor& tensor, const Digest& digest);
  void clear();

  // How much was computed, not looked up.
  uint64_t computed_count() const { return computed_count_; }
  uint64_t computed_bytes() const { return computed_bytes_; }

 private:
  // Address of the first element, bytes per element, sizes, strides.
  using Key = std::tuple<const std::byte*, size_t, Shape, std::vector<int64_t>>;
  static Key key_of(const Tensor& tensor);
  struct Entry {
    Digest digest;
    Tensor tensor;
  };

  std::map<Key, Entry> entries_;
  uint64_t computed_count_ = 0;
  uint64_t computed_bytes_ = 0;
};

}  // namespace changeaware
