#include "changeaware/tensor.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "base/checked.h"
#include "base/errors.h"
#include "tensor/buffer_pool.h"

namespace changeaware {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  size_t bytes;
};

constexpr std::array kDTypes = {
    DTypeInfo{DType::kUInt8, "uint8", 1},
    DTypeInfo{DType::kInt8, "int8", 1},
    DTypeInfo{DType::kInt16, "int16", 2},
    DTypeInfo{DType::kInt32, "int32", 4},
    DTypeInfo{DType::kInt64, "int64", 8},
    DTypeInfo{DType::kFloat16, "float16", 2},
    DTypeInfo{DType::kFloat32, "float32", 4},
    DTypeInfo{DType::kFloat64, "float64", 8},
    DTypeInfo{DType::kComplex32, "complex32", 4},
    DTypeInfo{DType::kComplex64, "complex64", 8},
    DTypeInfo{DType::kComplex128, "complex128", 16},
    DTypeInfo{DType::kBool, "bool", 1},
    DTypeInfo{DType::kBFloat16, "bfloat16", 2},
    DTypeInfo{DType::kUInt16, "uint16", 2},
    DTypeInfo{DType::kUInt32, "uint32", 4},
    DTypeInfo{DType::kUInt64, "uint64", 8},
};

// Copies `count` elements of one row, `stride` bytes apart, to dense memory.
void copy_row(std::byte* out, const std::byte* in, int64_t count, int64_t stride, size_t item) {
  if (stride == static_cast<int64_t>(item)) {
    std::memcpy(out, in, static_cast<size_t>(count) * item);
    return;
  }
  for (int64_t i = 0; i < count; ++i) std::memcpy(out + i * item, in + i * stride, item);
}

// Calls `visit(first element of the row)` for each innermost row in logical order.
// REQUIRES: rank >= 1 and no dimension is empty.
template <class Visit>
void for_each_row(const Tensor& t, Visit visit) {
  const size_t outer = t.rank() - 1;
  const auto item = static_cast<int64_t>(dtype_bytes(t.dtype()));
  std::vector<int64_t> index(outer, 0);
  const std::byte* row = t.data();
  while (true) {
    visit(row);
    size_t d = outer;
    while (d > 0) {
      --d;
      row += t.strides()[d] * item;
      if (++index[d] < t.shape()[d]) break;
      row -= t.strides()[d] * item * t.shape()[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace

std::string_view dtype_name(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

Result<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return invalid_argument("unknown dtype \"{}\"", name);
}

size_t dtype_bytes(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].bytes; }

bool is_floating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64 ||
         dtype == DType::kBFloat16;
}

bool is_integer(DType dtype) { return dtype <= DType::kInt64 || dtype >= DType::kUInt16; }

std::string shape_to_string(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d) {
    strides[d - 2] = strides[d - 1] * std::max<int64_t>(shape[d - 1], 1);
  }
  return strides;
}

const std::shared_ptr<const Tensor::Layout>& Tensor::no_layout() {
  static const auto* const none =
      new std::shared_ptr<const Layout>(std::make_shared<const Layout>());
  return *none;
}

void Tensor::set_layout(Shape shape, std::vector<int64_t> strides) {
  layout_ = std::make_shared<const Layout>(Layout{std::move(shape), std::move(strides)});
}

Tensor Tensor::empty(DType dtype, Shape shape) {
  Tensor t;
  t.dtype_ = dtype;
  std::vector<int64_t> strides = contiguous_strides(shape);
  t.set_layout(std::move(shape), std::move(strides));
  const size_t bytes = t.size_bytes();
  std::shared_ptr<std::byte> data = allocate_buffer(bytes);
  std::byte* const begin = data.get();
  t.storage_ = std::make_shared<Storage>(begin, bytes, std::move(data));
  return t;
}

Tensor Tensor::borrow(DType dtype, Shape shape, std::vector<int64_t> strides, const void* data,
                      std::shared_ptr<const void> owner) {
  Tensor t;
  t.dtype_ = dtype;
  if (strides.empty()) strides = contiguous_strides(shape);
  t.set_layout(std::move(shape), std::move(strides));
  auto* bytes = static_cast<std::byte*>(const_cast<void*>(data));
  t.storage_ = std::make_shared<Storage>(bytes, t.size_bytes(), std::move(owner));
  return t;
}

Result<Tensor> Tensor::view(DType dtype, Shape shape, std::vector<int64_t> strides,
                            int64_t storage_offset, std::shared_ptr<Storage> storage) {
  if (strides.size() != shape.size()) {
    return invalid_argument("{} strides for {} dimensions", strides.size(), shape.size());
  }
  const auto numel = checked_numel(shape);
  if (!numel || storage_offset < 0) {
    return invalid_argument("impossible sizes {} or offset {}", shape_to_string(shape),
                            storage_offset);
  }
  if (*numel > 0) {
    int64_t last = storage_offset;
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto step = strides[d] < 0 ? std::nullopt : checked_mul(shape[d] - 1, strides[d]);
      const auto next = step ? checked_add(last, *step) : std::nullopt;
      if (!next) return invalid_argument("impossible strides {}", shape_to_string(strides));
      last = *next;
    }
    const auto end = checked_add<int64_t>(last, 1);
    const auto end_bytes =
        end ? checked_mul<int64_t>(*end, static_cast<int64_t>(dtype_bytes(dtype))) : std::nullopt;
    if (!end_bytes || static_cast<uint64_t>(*end_bytes) > storage->bytes()) {
      return invalid_argument("sizes {}, strides {} and offset {} reach past the {} bytes stored",
                              shape_to_string(shape), shape_to_string(strides), storage_offset,
                              storage->bytes());
    }
  } else {
    storage_offset = 0;
  }
  Tensor t;
  t.dtype_ = dtype;
  t.set_layout(std::move(shape), std::move(strides));
  t.offset_ = storage_offset;
  t.storage_ = std::move(storage);
  return t;
}

int64_t Tensor::numel() const {
  int64_t n = 1;
  for (int64_t s : shape()) n *= s;
  return n;
}

bool Tensor::is_contiguous() const {
  int64_t expected = 1;
  for (size_t d = rank(); d > 0; --d) {
    if (shape()[d - 1] == 0) return true;
    if (shape()[d - 1] != 1 && strides()[d - 1] != expected) return false;
    expected *= shape()[d - 1];
  }
  return true;
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  Tensor out = empty(dtype_, shape());
  if (numel() == 0) return out;
  if (is_contiguous()) {
    std::memcpy(out.mutable_data(), data(), size_bytes());
    return out;
  }
  const size_t item = dtype_bytes(dtype_);
  const int64_t count = shape().back();
  std::byte* to = out.mutable_data();
  for_each_row(*this, [&](const std::byte* row) {
    copy_row(to, row, count, strides().back() * static_cast<int64_t>(item), item);
    to += count * item;
  });
  return out;
}

bool bit_identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.numel() == 0) return true;
  const Tensor x = a.contiguous();
  const Tensor y = b.contiguous();
  return std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
}

}  // namespace changeaware
