// From what Python callers give to Tensors, without copying where the layout allows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::python {

namespace nb = nanobind;

// A tensor over the memory of `value`, which stays referenced as long as the tensor lives; letting
// go of it takes the GIL. `what` names the value in messages ("input 'image'"). `dtype`: what a
// Python number is to become; without one, int64, float32 or bool.
// Misaligned elements are copied, and their bytes added to `copied_bytes`.
// Errors: InvalidArgument: not an array, requires grad, another device, byte-swapped, objects,
// conjugate or negated views, a number that its dtype cannot hold.
// REQUIRES: the GIL.
Result<Tensor> read_array(nb::handle value, const std::string& what, std::optional<DType> dtype,
                          uint64_t& copied_bytes);

// Through the buffer protocol (NumPy, array.array, memoryview).
Result<Tensor> read_buffer(nb::handle value, const std::string& what, uint64_t& copied_bytes);
// Through __dlpack__ (PyTorch and others).
Result<Tensor> read_dlpack(nb::handle value, const std::string& what);
// A Python bool, int or float as a tensor of rank 0.
Result<Tensor> read_number(nb::handle value, const std::string& what, std::optional<DType> dtype);

// Every entry of a mapping from names to arrays; `value` may be None. Raises.
std::map<std::string, Tensor> read_arrays(nb::handle value, const std::string& kind);

// The name of the type of a value, for messages: "list", "torch.Tensor".
std::string shown_type(nb::handle value);

// `attribute` of `value` when it has it and it is true. No exception.
bool is_set(nb::handle value, const char* attribute);

}  // namespace changeaware::python
