#include "api/tensor_argument.h"

#include <algorithm>
#include <string>

#include "base/checked.h"
#include "base/errors.h"

namespace changeaware::api {
namespace {

constexpr size_t kMaxRank = 64;
constexpr size_t kMaxAlignment = 8;

size_t alignment_of(DType dtype) {
  const bool is_complex =
      dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return std::min(kMaxAlignment, dtype_bytes(dtype) / (is_complex ? 2 : 1));
}

Status check(const TensorArgument& t) {
  if (ca_dtype_bytes(t.dtype) == 0) return invalid_argument("{} is no dtype", t.dtype);
  if (t.rank > kMaxRank) return invalid_argument("rank {} is above {}", t.rank, kMaxRank);
  if (t.rank > 0 && t.shape == nullptr) return invalid_argument("shape is NULL");
  if (t.data == nullptr && std::find(t.shape, t.shape + t.rank, 0) == t.shape + t.rank) {
    return invalid_argument("data is NULL");
  }
  const size_t alignment = alignment_of(static_cast<DType>(t.dtype));
  if (reinterpret_cast<uintptr_t>(t.data) % alignment != 0) {
    return invalid_argument("data is not aligned to {} bytes", alignment);
  }
  return {};
}

// Whether dense strides can be computed: the product of the sizes that are not 0 fits.
bool strides_fit(const Shape& shape) {
  Shape sizes = shape;
  std::replace(sizes.begin(), sizes.end(), int64_t{0}, int64_t{1});
  return checked_numel(sizes).has_value();
}

Result<Tensor> view(const TensorArgument& t) {
  if (Status status = check(t); !status.ok()) return status;
  Shape shape(t.shape, t.shape + t.rank);
  if (!strides_fit(shape)) return invalid_argument("impossible sizes {}", shape_to_string(shape));
  const std::vector<int64_t> strides = t.strides == nullptr
                                           ? contiguous_strides(shape)
                                           : std::vector<int64_t>(t.strides, t.strides + t.rank);
  auto* data = static_cast<std::byte*>(const_cast<void*>(t.data));
  return Tensor::view(static_cast<DType>(t.dtype), std::move(shape), strides, 0,
                      std::make_shared<Storage>(data, t.bytes, nullptr));
}

}  // namespace

Result<Tensor> borrow_argument(const char* name, const TensorArgument& argument) {
  Result<Tensor> tensor = view(argument);
  if (!tensor.ok()) return tensor.status().with_context(fmt::format("'{}'", name));
  return tensor;
}

}  // namespace changeaware::api
