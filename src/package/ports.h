// Ports and contracts of a region, as the manifest states them.
#pragma once

#include <vector>

#include "changeaware/package.h"
#include "graph/graph.h"
#include "identity/identity.h"

namespace changeaware {

Port make_port(const Graph& graph, ValueId id);

// Ports, assertions, weight bytes and node count of a region's program. Dependencies stay empty.
Callable describe_callable(const std::string& name, const Graph& region);

// What besides the graph decides the bits of a package's results.
NumericConfig numeric_config(const Manifest& manifest);

}  // namespace changeaware
