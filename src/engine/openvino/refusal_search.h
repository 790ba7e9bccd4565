// refusal_search: all nodes of a graph that the engine will not run, each with its reason.
//
// What is refused by rule is taken out of the graph; the rest is converted as a whole, nodes that
// have no conversion, whose conversion raises or gives something else than the program says are
// taken out, and so on until the rest converts and compiles. What fails without saying where is
// found by trying nodes one by one, then by halving.
// Thread safety: pure functions.
#pragma once

#include <functional>
#include <memory>
#include <openvino/openvino.hpp>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::ovn {

// Throws when the plug-in does not take the model.
using TryCompile = std::function<void(const std::shared_ptr<ov::Model>&)>;

// In the order of nodes. Nodes with graphs among their arguments are refused. `try_compile` may be
// null: then the plug-in is not asked.
// Errors: InvalidProgram as find_guards(); Internal when a failure cannot be blamed on any node.
Result<std::vector<NodeRefusal>> find_refusals(const Graph& graph, const TryCompile& try_compile);

}  // namespace changeaware::ovn
