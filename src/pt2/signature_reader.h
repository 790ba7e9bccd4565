// Reads a program's signature: which graph inputs are parameters, buffers, lifted tensors and user
// inputs; what the outputs are; names and nesting.
//
// Errors: Corrupt (wrong JSON), InvalidProgram (signature and graph contradict each other),
// Unsupported (state or inputs that the program writes, custom objects, tokens), naming them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "pt2/payloads.h"
#include "pt2/program.h"

namespace changeaware {

// Makes each graph input what `specs` ("input_specs") says: a constant with its payload, or an
// input of graph and signature. `inputs` are the graph's, as defined. Continues `program`.
Status read_input_specs(const JsonView& specs, const std::vector<Argument>& inputs,
                        const Payloads& payloads, ExportedProgram& program);

// Checks `specs` ("output_specs") against the graph's outputs, refuses those that write state.
Status check_output_specs(const JsonView& specs, const Graph& graph);

// Reads tree specs and argument names of the root entry of `call_graph` ("module_call_graph") and
// names the outputs.
Status read_call_signature(const JsonView& call_graph, ExportedProgram& program);

}  // namespace changeaware
