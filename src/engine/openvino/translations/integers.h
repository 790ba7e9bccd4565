// Integer arithmetic that stays in integers.
// Thread safety: pure functions.
#pragma once

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {

// Quotients of 32-bit integers, exact: OpenVINO's own goes through float32. REQUIRES: b is nowhere
// zero where the quotient matters.
Output truncated_quotient(const Output& a, const Output& b);
Output floored_quotient(const Output& a, const Output& b);

}  // namespace changeaware::ovn
