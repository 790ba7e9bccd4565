#include "engine/value_check.h"

#include <algorithm>

namespace changeaware {
namespace {

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

}  // namespace

ValueCheck value_check(DType dtype) {
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

bool has_fast_values(const Tensor& tensor) {
  const ValueCheck check = value_check(tensor.dtype());
  if (check.violated == nullptr) return true;
  const Tensor dense = tensor.contiguous();
  return !check.violated(dense.data(), dense.size_bytes());
}

}  // namespace changeaware
