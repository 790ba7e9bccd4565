// control_flow: nodes that choose or repeat graphs, as executables.
//
// Source of the operators and of the order of their arguments: what torch.export of PyTorch 2.13
// writes for torch.cond, while_loop, scan and map.
// Thread safety: the executables are as engine.h says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::mixed {

// Whether compile_control_flow() knows the operator.
bool is_known_control_flow(const Node& node);

// What a control-flow node reads and gives, in the order of its executable's inputs and outputs:
// distinct values, constants among them; and named results.
std::vector<ValueId> values_read(const Node& node);
std::vector<ValueId> values_given(const Node& node);

// `engine` compiles the bodies. `identity` is that of the node, or empty.
// Errors: those of the engine with the node's name; Unsupported naming node and operator when it is
// not one of those above; InvalidProgram when a body does not fit.
Result<std::unique_ptr<Executable>> compile_control_flow(const Engine& engine, const Graph& graph,
                                                         const Node& node,
                                                         const std::string& identity);

}  // namespace changeaware::mixed
