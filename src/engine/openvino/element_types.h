// DType of this library -> element type of OpenVINO.
// Thread safety: pure functions.
#pragma once

#include <openvino/core/type/element_type.hpp>
#include <optional>

#include "changeaware/tensor.h"

namespace changeaware::ovn {

// Nothing for complex numbers, which OpenVINO has not.
std::optional<ov::element::Type> element_type(DType dtype);

}  // namespace changeaware::ovn
