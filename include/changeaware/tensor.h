// Tensor: a typed, strided view of shared, read-only-by-convention storage.
//
// Ownership: a Tensor shares its Storage; copying a Tensor never copies elements. Storage made by
// Tensor::empty() is owned; Storage made by Tensor::borrow() lives as long as `owner` (a mapped
// file, a caller's array) is held.
// Units: sizes, strides and offset count elements; only functions named *_bytes count bytes.
// Thread safety: const methods may be called concurrently; writing through mutable_data() needs
// exclusive use of the storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/export_macro.h"
#include "changeaware/status.h"

namespace changeaware {

enum class DType : uint8_t {
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kBool,
  kBFloat16,
  kUInt16,
  kUInt32,
  kUInt64,
};

// "float32", "int64", "bool", "bfloat16", …; static storage (NumPy's and PyTorch's spelling).
CHANGEAWARE_API std::string_view dtype_name(DType dtype);
// InvalidArgument when the name is none of them.
CHANGEAWARE_API Result<DType> parse_dtype(std::string_view name);
CHANGEAWARE_API size_t dtype_bytes(DType dtype);
CHANGEAWARE_API bool is_floating(DType dtype);
CHANGEAWARE_API bool is_integer(DType dtype);  // without bool

using Shape = std::vector<int64_t>;

// "[1, 3, 224, 224]".
CHANGEAWARE_API std::string shape_to_string(std::span<const int64_t> shape);

class CHANGEAWARE_API Storage {
 public:
  Storage(std::byte* data, size_t bytes, std::shared_ptr<const void> owner,
          bool is_file_mapping = false)
      : data_(data), bytes_(bytes), is_file_mapping_(is_file_mapping), owner_(std::move(owner)) {}
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // The memory is a private, read-only mapping of a file: its pages may be dropped at any time and
  // come back from the file when read.
  bool is_file_mapping() const { return is_file_mapping_; }

 private:
  std::byte* data_;
  size_t bytes_;
  bool is_file_mapping_;
  std::shared_ptr<const void> owner_;
};

class CHANGEAWARE_API Tensor {
 public:
  // An empty handle: defined() is false.
  Tensor() = default;

  // Contiguous, 64-byte aligned, uninitialised.
  // REQUIRES: sizes are not negative and their byte product fits in size_t.
  static Tensor empty(DType dtype, Shape shape);
  // Over foreign memory; strides empty means contiguous. `owner` keeps the memory alive and may be
  // null when the caller guarantees that it outlives every copy of the tensor.
  static Tensor borrow(DType dtype, Shape shape, std::vector<int64_t> strides, const void* data,
                       std::shared_ptr<const void> owner);
  // A view into `storage`. InvalidArgument when an element would lie outside the storage.
  static Result<Tensor> view(DType dtype, Shape shape, std::vector<int64_t> strides,
                             int64_t storage_offset, std::shared_ptr<Storage> storage);
  // A contiguous tensor with these values. REQUIRES: product(shape) == values.size().
  template <class T>
  static Tensor of(DType dtype, Shape shape, const std::vector<T>& values);

  bool defined() const { return storage_ != nullptr; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return layout_->shape; }
  const std::vector<int64_t>& strides() const { return layout_->strides; }
  int64_t storage_offset() const { return offset_; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  size_t rank() const { return shape().size(); }
  int64_t numel() const;
  // Bytes of the elements when stored densely (not of the storage).
  size_t size_bytes() const { return static_cast<size_t>(numel()) * dtype_bytes(dtype_); }

  // Row-major and dense, ignoring strides of dimensions of size 1.
  bool is_contiguous() const;
  // This tensor, or a dense copy of it.
  Tensor contiguous() const;
  // A dense copy in storage of its own, always.
  Tensor clone() const;

  // First element.
  const std::byte* data() const { return base(); }
  std::byte* mutable_data() const { return base(); }
  template <class T>
  const T* data_as() const {
    return reinterpret_cast<const T*>(base());
  }

 private:
  std::byte* base() const {
    return storage_->data() + static_cast<size_t>(offset_) * dtype_bytes(dtype_);
  }

  // Shared, so that copying a handle allocates nothing.
  struct Layout {
    Shape shape;
    std::vector<int64_t> strides;
  };
  static const std::shared_ptr<const Layout>& no_layout();
  void set_layout(Shape shape, std::vector<int64_t> strides);

  DType dtype_ = DType::kFloat32;
  std::shared_ptr<const Layout> layout_ = no_layout();
  int64_t offset_ = 0;
  std::shared_ptr<Storage> storage_;
};

CHANGEAWARE_API std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape);

// Same dtype, shape and, element by element in logical order, the same bits (-0.0 differs from
// 0.0; a NaN equals itself).
CHANGEAWARE_API bool bit_identical(const Tensor& a, const Tensor& b);

template <class T>
Tensor Tensor::of(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor t = empty(dtype, std::move(shape));
  assert(dtype_bytes(dtype) == sizeof(T) && static_cast<size_t>(t.numel()) == values.size());
  T* out = reinterpret_cast<T*>(t.mutable_data());
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return t;
}

}  // namespace changeaware
