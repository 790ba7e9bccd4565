// Writes a Graph as {"inputs", "outputs", "nodes", "tensor_values", …}; the reverse of
// graph_reader.h. Errors: Unsupported, InvalidProgram, naming the node.
#pragma once

#include <set>
#include <string>

#include "base/json.h"
#include "graph/graph.h"

namespace changeaware {

// What the graphs of one program have in common.
class ProgramGraphWriter {
 public:
  // The whole program: parameters, buffers and lifted tensors are graph inputs before the user's,
  // in that order; `user_inputs` are values or constants, as in the signature.
  Status write_program(JsonWriter& json, const Graph& graph,
                       const std::vector<Argument>& user_inputs);

 private:
  // `single_tensor`: the graph gives its one output by itself.
  Status write_nested(JsonWriter& json, const Graph& graph, bool single_tensor);
  Status write_body(JsonWriter& json, const Graph& graph, bool single_tensor);
  Status write_node(JsonWriter& json, const Graph& graph, const Node& node);
  Status write_node_inputs(JsonWriter& json, const Graph& graph, const Node& node);
  Status write_operands(JsonWriter& json, const Graph& graph, const Node& node);
  Status write_input(JsonWriter& json, const Graph& graph, std::string_view name, int kind,
                     const Argument& argument, bool single_tensor = false);
  void write_assertion(JsonWriter& json, const Graph& graph, size_t index);
  std::string node_name(const Graph& graph, const Node& node);

  int nested_count_ = 0;
  std::set<std::string> node_names_;  // of nodes without a value of that name, in this graph
};

// Constants in the order in which PyTorch lists them: parameters, buffers, lifted tensors.
std::vector<const Constant*> ordered_constants(const Graph& graph);

}  // namespace changeaware
