#include "identity/parameter_digests.h"

#include <cstring>
#include <span>

namespace changeaware {
namespace {

// Runs of at least this many bytes go to the hash as they lie; shorter ones are gathered.
constexpr size_t kDirectBytes = 4096;
constexpr size_t kBufferBytes = 65536;

// Gathers short runs of bytes for a hash.
class Gatherer {
 public:
  explicit Gatherer(Sha256& hash) : hash_(hash) { buffer_.reserve(kBufferBytes); }
  void add(std::span<const std::byte> run) {
    if (run.size() >= kDirectBytes) {
      flush();
      hash_.update(run);
      return;
    }
    if (buffer_.size() + run.size() > kBufferBytes) flush();
    buffer_.insert(buffer_.end(), run.begin(), run.end());
  }
  void flush() {
    hash_.update(buffer_);
    buffer_.clear();
  }

 private:
  Sha256& hash_;
  std::vector<std::byte> buffer_;
};

// The dimensions from which on the elements lie densely: [0, result) is left to walk.
size_t walked_dims(const Tensor& t) {
  int64_t expected = 1;
  size_t d = t.rank();
  for (; d > 0; --d) {
    if (t.shape()[d - 1] != 1 && t.strides()[d - 1] != expected) break;
    expected *= t.shape()[d - 1];
  }
  return d;
}

Digest compute(const Tensor& t) {
  Sha256 hash;
  if (t.numel() == 0) return hash.finish();
  const size_t outer = walked_dims(t);
  size_t run_bytes = dtype_bytes(t.dtype());
  for (size_t d = outer; d < t.rank(); ++d) run_bytes *= static_cast<size_t>(t.shape()[d]);
  Gatherer gather(hash);
  std::vector<int64_t> index(outer, 0);
  const auto item = static_cast<int64_t>(dtype_bytes(t.dtype()));
  int64_t offset = 0;  // in elements
  size_t d = outer;
  do {
    gather.add({t.data() + offset * item, run_bytes});
    for (d = outer; d > 0; --d) {
      offset += t.strides()[d - 1];
      if (++index[d - 1] < t.shape()[d - 1]) break;
      offset -= t.strides()[d - 1] * t.shape()[d - 1];
      index[d - 1] = 0;
    }
  } while (d > 0);
  gather.flush();
  return hash.finish();
}

}  // namespace

ParameterDigests::Key ParameterDigests::key_of(const Tensor& tensor) {
  return {tensor.data(), dtype_bytes(tensor.dtype()), tensor.shape(), tensor.strides()};
}

const Digest& ParameterDigests::digest(const Tensor& tensor) {
  Key key = key_of(tensor);
  const auto it = entries_.find(key);
  if (it != entries_.end()) return it->second.digest;
  ++computed_count_;
  computed_bytes_ += tensor.size_bytes();
  return entries_.emplace(std::move(key), Entry{compute(tensor), tensor}).first->second.digest;
}

void ParameterDigests::seed(const Tensor& tensor, const Digest& digest) {
  entries_.try_emplace(key_of(tensor), Entry{digest, tensor});
}

void ParameterDigests::clear() { entries_.clear(); }

}  // namespace changeaware
