#include "strategy/alternates.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tensor/element.h"

namespace changeaware {
namespace {

constexpr double kStep = 1.0 / 128;

template <class T>
void enlarge(T* values, int64_t count) {
  const bool all_zero = std::all_of(values, values + count, [](T v) { return v == T{0}; });
  for (int64_t i = 0; i < count; ++i) {
    values[i] = all_zero ? static_cast<T>(kStep * static_cast<double>(i % 16 + 1))
                         : values[i] * static_cast<T>(1 + kStep);
  }
}

// A view of rows of `length` pieces of `piece_bytes`: each row moves its first piece to the end.
void roll_rows(std::byte* data, size_t rows, size_t length, size_t piece_bytes) {
  for (size_t row = 0; row < rows; ++row) {
    std::byte* begin = data + row * length * piece_bytes;
    std::rotate(begin, begin + piece_bytes, begin + length * piece_bytes);
  }
}

void roll(const Tensor& tensor) {
  size_t piece_bytes = dtype_bytes(tensor.dtype());
  for (size_t d = tensor.rank(); d-- > 0;) {
    const auto length = static_cast<size_t>(tensor.shape()[d]);
    if (length > 1) {
      const size_t rows = tensor.size_bytes() / (length * piece_bytes);
      return roll_rows(tensor.mutable_data(), rows, length, piece_bytes);
    }
    piece_bytes *= length;
  }
}

}  // namespace

Tensor alternate_of(const Tensor& example) {
  Tensor out = example.clone();
  if (out.numel() == 0) return out;
  bool is_float = false;
  with_element_type(out.dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<T>) {
      is_float = true;
      enlarge(reinterpret_cast<T*>(out.mutable_data()), out.numel());
    }
  });
  if (!is_float) roll(out);
  return out;
}

}  // namespace changeaware
