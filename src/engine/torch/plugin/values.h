// Values of the interpreter: numbers, tensors over foreign memory, results given back.
//
// Thread safety: functions of their arguments. Errors: c10::Error or std::exception.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <unordered_set>

#include "engine/torch/plugin/plugin_interface.h"
#include "engine/torch/plugin/python_numbers.h"

namespace changeaware::torch_plugin {

// A view of the memory, which must outlive the tensor.
at::Tensor over_memory(const CaTorchTensor& memory);
// The number in a tensor of rank 0.
c10::IValue number_in(const CaTorchTensor& memory);

Number to_number(const c10::IValue& value);
c10::IValue to_ivalue(const Number& number);

// Python hands a number to a Tensor argument as a tensor of rank 0 that does not take part in type
// promotion as a tensor would.
at::Tensor wrapped_number(const c10::IValue& number);

// What the outputs of one run must not share memory with.
using Storages = std::unordered_set<const c10::StorageImpl*>;

// Fills `out` with the result; adds its storage to `taken`.
void give_back(const c10::IValue& result, const Storages& constants, Storages& taken,
               CaTorchOutput& out);

}  // namespace changeaware::torch_plugin
