#include "strategy/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/errors.h"
#include "tensor/element.h"

namespace changeaware {
namespace {

int64_t first_different_element(const Tensor& a, const Tensor& b) {
  const size_t item = dtype_bytes(a.dtype());
  int64_t i = 0;
  while (std::memcmp(a.data() + static_cast<size_t>(i) * item,
                     b.data() + static_cast<size_t>(i) * item, item) == 0) {
    ++i;
  }
  return i;
}

template <class T>
double largest_finite(const T* values, int64_t count) {
  double out = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto v = std::abs(static_cast<double>(values[i]));
    if (std::isfinite(v)) out = std::max(out, v);
  }
  return out;
}

template <class T>
void compare_numbers(const Tensor& expected, const Tensor& got, const Tolerance& tolerance,
                     Comparison& out) {
  const T* a = expected.data_as<T>();
  const T* b = got.data_as<T>();
  const double scale = largest_finite(a, expected.numel());
  out.within_tolerance = true;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    // Not finite where one is a NaN or an infinity that the other is not.
    const double difference = std::isfinite(x - y) ? std::abs(x - y) : HUGE_VAL;
    const double allowed =
        tolerance.atol + tolerance.rtol * std::abs(x) + tolerance.of_scale * scale;
    if (std::isfinite(difference) && difference <= allowed) continue;
    if (out.within_tolerance) out.element = i;
    out.within_tolerance = false;
    if (difference <= kTrustedOfScale * scale) continue;
    out.contradicts = true;
    return;
  }
}

}  // namespace

Comparison compare(const Tensor& strided_expected, const Tensor& strided_got,
                   const Tolerance& tolerance) {
  Comparison out;
  if (strided_expected.dtype() != strided_got.dtype() ||
      strided_expected.shape() != strided_got.shape()) {
    out.contradicts = true;
    return out;
  }
  const Tensor expected = strided_expected.contiguous();
  const Tensor got = strided_got.contiguous();
  if (bit_identical(expected, got)) return {.same_bits = true, .within_tolerance = true};
  out.element = first_different_element(expected, got);
  bool has_numbers = false;
  with_element_type(expected.dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<T>) {
      has_numbers = true;
      compare_numbers<T>(expected, got, tolerance, out);
    }
  });
  if (!has_numbers) out.contradicts = true;
  return out;
}

std::string describe(const Comparison& comparison, const Tensor& expected, const Tensor& got,
                     const std::string& expected_in, const std::string& got_in) {
  if (comparison.element < 0) {
    return fmt::format("is {} {} in {}, {} {} in {}", dtype_name(expected.dtype()),
                       shape_to_string(expected.shape()), expected_in, dtype_name(got.dtype()),
                       shape_to_string(got.shape()), got_in);
  }
  return fmt::format("differs first at element {}: {} in {}, {} in {}", comparison.element,
                     element_text(expected.contiguous(), comparison.element), expected_in,
                     element_text(got.contiguous(), comparison.element), got_in);
}

}  // namespace changeaware
