#include "runtime/versions.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/errors.h"
#include "engine/value_check.h"
#include "runtime/secret.h"

namespace changeaware {
namespace {

// Small enough to stay in a core's cache between the check and the hash.
constexpr size_t kBlockBytes = 128 * 1024;

Status violation(const std::string& input, const ValueCheck& check) {
  return unsupported("input '{}' holds {}", input, check.what);
}

// Calls visit(block, bytes) over the elements of a contiguous tensor.
template <class Visit>
void for_each_block(const Tensor& dense, Visit visit) {
  const size_t total = dense.size_bytes();
  for (size_t at = 0; at < total; at += kBlockBytes) {
    visit(dense.data() + at, std::min(kBlockBytes, total - at));
  }
}

struct StateDeleter {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

Fingerprinter::Fingerprinter() { fill_secret(secret_); }

template <class Visit>
Version Fingerprinter::hash(const Tensor& tensor, Visit visit) const {
  const Tensor dense = tensor.contiguous();
  const std::unique_ptr<XXH3_state_t, StateDeleter> state(XXH3_createState());
  if (state == nullptr) return {};
  XXH3_128bits_reset_withSecret(state.get(), secret_.data(), secret_.size());
  std::vector<int64_t> frame = {static_cast<int64_t>(tensor.dtype()),
                                static_cast<int64_t>(tensor.rank())};
  frame.insert(frame.end(), tensor.shape().begin(), tensor.shape().end());
  XXH3_128bits_update(state.get(), frame.data(), frame.size() * sizeof(int64_t));
  for_each_block(dense, [&](const std::byte* block, size_t bytes) {
    visit(block, bytes);
    XXH3_128bits_update(state.get(), block, bytes);
  });
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
  return "#" +
         std::string(reinterpret_cast<const char*>(canonical.digest), sizeof(canonical.digest));
}

Version Fingerprinter::print(const Tensor& tensor) const {
  return hash(tensor, [](const std::byte*, size_t) {});
}

Result<Fingerprint> Fingerprinter::fingerprint(const std::string& input,
                                               const Tensor& tensor) const {
  const ValueCheck check = value_check(tensor.dtype());
  bool violated = false;
  Fingerprint out;
  out.version = hash(tensor, [&](const std::byte* block, size_t bytes) {
    violated = violated || (check.violated != nullptr && check.violated(block, bytes));
  });
  if (out.version.empty()) return internal_error("no memory to fingerprint input '{}'", input);
  if (violated) out.values = violation(input, check);
  return out;
}

Version tag_version(const std::string& tag) { return "=" + tag; }

Status check_values(const std::string& input, const Tensor& tensor) {
  if (has_fast_values(tensor)) return {};
  return violation(input, value_check(tensor.dtype()));
}

}  // namespace changeaware
