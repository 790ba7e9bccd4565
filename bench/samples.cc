#include "bench/samples.h"

#include <fstream>
#include <stdexcept>

namespace changeaware::bench {
namespace {

Tensor scaled(const Tensor& base, size_t step) {
  Tensor out = Tensor::empty(base.dtype(), base.shape());
  const float factor = 1.0f + static_cast<float>(step) / 1000.0f;
  auto* to = reinterpret_cast<float*>(out.mutable_data());
  for (int64_t i = 0; i < base.numel(); ++i) to[i] = base.data_as<float>()[i] * factor;
  return out;
}

Tensor rolled(const Tensor& base, size_t step) {
  Tensor out = Tensor::empty(base.dtype(), base.shape());
  auto* to = reinterpret_cast<int64_t*>(out.mutable_data());
  const auto n = static_cast<size_t>(base.numel());
  for (size_t i = 0; i < n; ++i) to[(i + step) % n] = base.data_as<int64_t>()[i];
  return out;
}

// Every row keeps at least its first two ones; the lengths count up like the digits of a number.
Tensor tail_masked(const Tensor& base, size_t step) {
  Tensor out = Tensor::empty(base.dtype(), base.shape());
  auto* to = reinterpret_cast<int64_t*>(out.mutable_data());
  const auto columns = static_cast<size_t>(base.shape().back());
  const size_t rows = static_cast<size_t>(base.numel()) / columns;
  for (size_t row = 0; row < rows; ++row) {
    const size_t ones = columns - step % (columns - 1);
    step /= columns - 1;
    for (size_t c = 0; c < columns; ++c) to[row * columns + c] = c < ones ? 1 : 0;
  }
  return out;
}

}  // namespace

Tensor read_raw(const std::string& path, DType dtype, const Shape& shape) {
  Tensor out = Tensor::empty(dtype, shape);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(out.mutable_data()),
            static_cast<std::streamsize>(out.size_bytes()));
  const bool complete = file && file.peek() == std::ifstream::traits_type::eof();
  if (!complete)
    throw std::runtime_error(path + ": not " + std::to_string(out.size_bytes()) + " bytes");
  return out;
}

Tensor vary(const Sample& sample, size_t step) {
  switch (sample.variation) {
    case Variation::kScale: return scaled(sample.value, step);
    case Variation::kRoll: return rolled(sample.value, step);
    case Variation::kTailMask: return tail_masked(sample.value, step);
  }
  return sample.value;
}

}  // namespace changeaware::bench
