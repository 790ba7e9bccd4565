// Turns what OpenVINO throws into statuses that name a node.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace changeaware::ovn {

// The first line that says something: OpenVINO's messages begin with source locations.
std::string first_line(std::string_view message);

// Unsupported naming the first node whose operator the frontend's report lists.
Status describe_frontend_error(const Graph& graph, std::string_view message);

}  // namespace changeaware::ovn
