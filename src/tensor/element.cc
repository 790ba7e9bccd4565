#include "tensor/element.h"

#include <algorithm>

#include <fmt/format.h>

namespace changeaware {

std::string element_text(const Tensor& tensor, int64_t index) {
  const size_t item = dtype_bytes(tensor.dtype());
  const std::byte* at = tensor.data() + static_cast<size_t>(index) * item;
  std::string out;
  const bool known = with_element_type(tensor.dtype(), [&](auto type) {
    using T = decltype(type);
    out = fmt::format("{}", *reinterpret_cast<const T*>(at));
  });
  if (known) return out;
  out = "0x";
  for (size_t i = item; i > 0; --i) out += fmt::format("{:02x}", static_cast<int>(at[i - 1]));
  return out;
}

bool is_nonzero(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  bool all = true;
  const bool known = with_element_type(tensor.dtype(), [&](auto type) {
    using T = decltype(type);
    const T* begin = dense.data_as<T>();
    all = std::none_of(begin, begin + dense.numel(), [](T e) { return e == T(0); });
  });
  return known && all;
}

}  // namespace changeaware
