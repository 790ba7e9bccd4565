// Dtypes as .npy files spell them.
#pragma once

#include <string_view>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::cli {

// "<f4" -> float32. Unsupported says what the array holds instead.
Result<DType> dtype_of_descr(std::string_view descr);

// float32 -> "<f4"; static storage. Unsupported for complex32, which NumPy cannot hold.
Result<std::string_view> descr_of_dtype(DType dtype);

}  // namespace changeaware::cli
