// _core.Array: a Tensor that Python can see, and NumPy arrays over one.
#pragma once

#include <nanobind/nanobind.h>

#include "changeaware/tensor.h"

namespace changeaware::python {

namespace nb = nanobind;

enum class Access : uint8_t { kReadOnly, kWritable };

// Owns a share of a contiguous tensor's storage. Python objects of this type are what NumPy arrays
// over the tensor hold on to.
class Array {
 public:
  Array(Tensor tensor, Access access) : tensor_(std::move(tensor)), access_(access) {}
  // The Array that `value` is, or null.
  static const Array* of(nb::handle value);

  const Tensor& tensor() const { return tensor_; }
  Access access() const { return access_; }

 private:
  Tensor tensor_;
  Access access_;
};

void bind_array(nb::module_& module);

// A NumPy array over the tensor's memory, or an Array where NumPy has no such dtype. Copies only
// what is not contiguous. REQUIRES: the GIL.
nb::object to_python(const Tensor& tensor, Access access);

}  // namespace changeaware::python
