// PyTorch's numbers of scalar types (c10/core/ScalarType.h), which cross the plug-in's interface.
#pragma once

#include <cstdint>
#include <optional>

#include "changeaware/tensor.h"

namespace changeaware::torch {

int32_t scalar_type(DType dtype);
std::optional<DType> dtype_of(int32_t scalar_type);

}  // namespace changeaware::torch
