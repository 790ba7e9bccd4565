// Reads {"inputs", "outputs", "nodes", "tensor_values", …} into a Graph.
//
// Errors: Corrupt (wrong JSON), InvalidProgram (arguments or results that do not fit the operator's
// schema, a value that is defined twice or never), Unsupported (an operator that is not in the op
// table); all name the place, and the node where there is one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "graph/graph.h"
#include "pt2/argument_reader.h"

namespace changeaware {

class GraphReader {
 public:
  // `depth` counts enclosing graphs.
  static Result<GraphReader> create(const JsonView& graph_view, int depth);

  // One per element of "inputs": a new value, or the constant that stands in its place. The caller
  // decides what each value is (input, parameter, …).
  Result<std::vector<Argument>> define_inputs();
  Status read_nodes();
  Status read_outputs();

  Graph& graph() { return graph_; }
  // "add.Tensor"-like targets as the op table spells them: without "torch.ops.".
  static std::string_view op_name(std::string_view target);

 private:
  explicit GraphReader(const JsonView& graph_view, int depth) : view_(graph_view), depth_(depth) {}

  struct Description {
    ValueKind kind;
    JsonView meta;
  };
  Status describe(std::string_view table, ValueKind kind);
  Result<ValueId> define(const JsonView& name_view);
  Result<Value> read_value(std::string_view name, const Description& description);
  ArgumentScope scope();

  Status read_node(const JsonView& node_view);
  Result<std::vector<Argument>> read_node_args(const JsonView& node_view, const OpSchema& op);
  Result<std::vector<ValueId>> read_node_outputs(const JsonView& node_view, const OpSchema& op);
  Status define_results(const JsonView& result, bool inside_list, std::vector<ValueId>& out);
  Status add_assertion(const Node& node);

  JsonView view_;
  int depth_ = 0;
  std::map<std::string, Description, std::less<>> descriptions_;
  std::map<std::string, ValueId, std::less<>> defined_;
  Graph graph_;
};

}  // namespace changeaware
