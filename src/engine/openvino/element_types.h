// DType of this library <-> element type of OpenVINO <-> number that PyTorch's operators take.
// Thread safety: pure functions.
#pragma once

#include <openvino/core/type/element_type.hpp>
#include <optional>

#include "changeaware/tensor.h"

namespace changeaware::ovn {

// Nothing for complex numbers, which OpenVINO has not.
std::optional<ov::element::Type> element_type(DType dtype);
// PyTorch's ScalarType number (c10/core/ScalarType.h), as a constant argument of an operator.
int64_t scalar_type_number(DType dtype);

}  // namespace changeaware::ovn
