// The few Python names that pickles of tensors refer to ("module name").
#pragma once

#include <optional>
#include <string_view>

#include "changeaware/tensor.h"

namespace changeaware {

inline constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2";
inline constexpr std::string_view kOrderedDict = "collections OrderedDict";

bool is_known_global(std::string_view global);
// "torch FloatStorage" -> float32; nothing when it is no storage class.
std::optional<DType> storage_dtype(std::string_view global);
// The reverse; empty for dtypes without a storage class of their own.
std::string_view storage_global(DType dtype);

}  // namespace changeaware
