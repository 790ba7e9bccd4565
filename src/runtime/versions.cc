#include "runtime/versions.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/errors.h"
#include "runtime/secret.h"

namespace changeaware {
namespace {

// Small enough to stay in a core's cache between the check and the hash.
constexpr size_t kBlockBytes = 128 * 1024;

template <class T, class Bad>
bool any_element(const std::byte* data, size_t bytes, Bad bad) {
  const T* begin = reinterpret_cast<const T*>(data);
  unsigned found = 0;
  for (size_t i = 0; i < bytes / sizeof(T); ++i) found |= bad(begin[i]);
  return found != 0;
}

bool has_wide_int(const std::byte* data, size_t bytes) {
  return any_element<int64_t>(data, bytes, [](int64_t v) {
    return static_cast<unsigned>((static_cast<uint64_t>(v) + 0x80000000ull) >> 32 != 0);
  });
}
// NaN: all exponent bits set and a fraction that is not zero.
bool has_nan32(const std::byte* data, size_t bytes) {
  return any_element<uint32_t>(data, bytes, [](uint32_t v) {
    return static_cast<unsigned>((v & 0x7fffffffu) > 0x7f800000u);
  });
}
bool has_nan64(const std::byte* data, size_t bytes) {
  return any_element<uint64_t>(data, bytes, [](uint64_t v) {
    return static_cast<unsigned>((v & 0x7fffffffffffffffull) > 0x7ff0000000000000ull);
  });
}
bool has_nan16(const std::byte* data, size_t bytes) {
  return any_element<uint16_t>(
      data, bytes, [](uint16_t v) { return static_cast<unsigned>((v & 0x7fffu) > 0x7c00u); });
}
bool has_nan_bf16(const std::byte* data, size_t bytes) {
  return any_element<uint16_t>(
      data, bytes, [](uint16_t v) { return static_cast<unsigned>((v & 0x7fffu) > 0x7f80u); });
}

struct ValueCheck {
  bool (*violated)(const std::byte*, size_t) = nullptr;
  const char* what = "";
};

ValueCheck check_for(DType dtype) {
  constexpr const char* kNan = "a NaN, which the engine does not compute as PyTorch does";
  switch (dtype) {
    case DType::kInt64:
      return {has_wide_int, "an integer outside the 32 bits that the engine computes in"};
    case DType::kFloat32: return {has_nan32, kNan};
    case DType::kFloat64: return {has_nan64, kNan};
    case DType::kFloat16: return {has_nan16, kNan};
    case DType::kBFloat16: return {has_nan_bf16, kNan};
    default: return {};
  }
}

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
  const ValueCheck check = check_for(tensor.dtype());
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
  const ValueCheck check = check_for(tensor.dtype());
  if (check.violated == nullptr) return {};
  const Tensor dense = tensor.contiguous();
  bool violated = false;
  for_each_block(dense, [&](const std::byte* block, size_t bytes) {
    violated = violated || check.violated(block, bytes);
  });
  return violated ? violation(input, check) : Status();
}

}  // namespace changeaware
