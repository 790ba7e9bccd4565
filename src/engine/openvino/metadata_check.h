// Compares what a conversion made with what the exported program says it must be.
//
// Half of the silent faults of a converter show in dtype or shape alone, so every value is checked.
// Thread safety: pure functions.
#pragma once

#include <openvino/core/node_output.hpp>
#include <optional>

#include "graph/graph.h"

namespace changeaware::ovn {

// What the program says a value is; nothing for a dtype that OpenVINO has not.
std::optional<ov::element::Type> described_type(const Value& value);
ov::PartialShape described_shape(const Value& value);

// `output` with the dtype of `value`, after a Convert where OpenVINO chose a narrower signed
// integer (faithful: the number was computed in that type anyway).
// Unsupported, "expected f32[2, 3], got i64[2, 3]", when it is something else. What
// OpenVINO does not know yet (a dynamic type or size) passes.
Result<ov::Output<ov::Node>> as_described(const ov::Output<ov::Node>& output, const Value& value);

}  // namespace changeaware::ovn
