// PyTorch's numbers of scalar types and memory formats (c10/core/ScalarType.h, MemoryFormat.h), as
// its operators take them. Those in archives are others: pt2/codes.h.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "changeaware/tensor.h"
#include "graph/argument.h"

namespace changeaware {

int32_t scalar_type_number(DType dtype);
std::optional<DType> dtype_of_scalar_type(int32_t number);
int64_t memory_format_number(MemoryFormat format);

}  // namespace changeaware
