// Overflow-checked arithmetic for sizes and offsets read from files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace changeaware {

template <class T>
std::optional<T> checked_add(T a, T b) {
  T out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <class T>
std::optional<T> checked_mul(T a, T b) {
  T out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// Product of the sizes; nothing when a size is negative or the product overflows.
inline std::optional<int64_t> checked_numel(std::span<const int64_t> sizes) {
  int64_t n = 1;
  bool zero = false;
  for (int64_t s : sizes) {
    if (s < 0) return std::nullopt;
    if (s == 0) zero = true;
  }
  if (zero) return 0;
  for (int64_t s : sizes) {
    auto next = checked_mul(n, s);
    if (!next) return std::nullopt;
    n = *next;
  }
  return n;
}

}  // namespace changeaware
