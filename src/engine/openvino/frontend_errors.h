// Turns what OpenVINO throws into statuses that name a node.
// Thread safety: pure functions.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace changeaware::ovn {

// The first line that says something: OpenVINO's messages begin with source locations.
std::string first_line(std::string_view message);

// What was thrown while a model was made or run: OverBudget where memory ran out, in a text so
// short that it takes none; Internal for the rest.
Status status_of_thrown(const std::exception& thrown);

// Unsupported naming the first node whose operator the frontend's report lists; OverBudget where
// the report says that memory ran out.
Status describe_frontend_error(const Graph& graph, std::string_view message);

}  // namespace changeaware::ovn
