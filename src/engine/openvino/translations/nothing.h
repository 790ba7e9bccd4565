// Nodes about which nothing needs to be computed: results without elements, and what PyTorch
// answers for reductions over no elements. OpenVINO has no conversion of many of them, and fails
// or crashes while it compiles others.
// Thread safety: pure functions.
#pragma once

#include "engine/openvino/translations/translation.h"

namespace changeaware::ovn {

// Every result that has a name is a tensor without elements, of a dtype that OpenVINO has.
bool makes_nothing(const Graph& graph, const Node& node);

// The translation of a node that makes nothing, or makes something known of nothing; null for
// every other node.
const Translation* translation_of_nothing(const Graph& graph, const Node& node);

}  // namespace changeaware::ovn
