// blob_key: under which key the blob of a region is kept.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "base/digest.h"
#include "engine/openvino/weight_file.h"
#include "graph/graph.h"

namespace changeaware::ovn {

// All that a blob depends on: the region (graph and contents of the weights), where its weights lie
// in their file, the order of its nodes, OpenVINO's version, the sources of this engine, the
// processor and the threads.
Digest blob_key(const std::string& identity, const Graph& graph, const WeightFile* weights,
                const std::string& engine_version, int threads);

}  // namespace changeaware::ovn
