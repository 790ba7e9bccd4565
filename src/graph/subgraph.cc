#include "graph/subgraph.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

#include "base/errors.h"

namespace changeaware {
namespace {

// Copies parts of one graph into a new one, value by value.
class Copier {
 public:
  explicit Copier(const Graph& from) : from_(from), map_(from.values().size(), kNoId) {
    for (const auto& [name, range] : from.symbols()) to_.set_symbol(name, range);
  }

  void add_input(ValueId id) { to_.add_input(declare(id)); }

  // Brings `id` along when it is a constant that has not come yet; false when it is not there.
  bool require(ValueId id) {
    if (map_[id] != kNoId) return true;
    const Constant* constant = from_.constant_of(id);
    if (constant == nullptr) return false;
    Constant copy = *constant;
    copy.value = declare(id);
    to_.add_constant(std::move(copy));
    return true;
  }

  Status add_node(const Node& node) {
    Status status;
    for_each_input(node, [&](ValueId id) {
      if (status.ok() && !require(id)) {
        status = invalid_program("node '{}' reads '{}', which is not part of the region", node.name,
                                 from_.value(id).name);
      }
    });
    CA_RETURN_IF_ERROR(status);
    Node copy{node.op, {}, {}, node.name, node.exact};
    for (const Argument& argument : node.args) copy.args.push_back(mapped(argument));
    for (ValueId id : node.outputs) copy.outputs.push_back(id == kNoId ? kNoId : declare(id));
    to_.add_node(std::move(copy));
    return {};
  }

  Argument mapped(const Argument& argument) const {
    return map_values(argument, [&](ValueId id) { return map_[id]; });
  }
  ValueId mapped(ValueId id) const { return map_[id]; }
  Graph& graph() { return to_; }

 private:
  ValueId declare(ValueId id) { return map_[id] = to_.add_value(from_.value(id)); }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> map_;
};

}  // namespace

Result<Graph> extract_subgraph(const Graph& graph, std::span<const NodeId> nodes,
                               std::span<const ValueId> inputs, std::span<const ValueId> outputs) {
  Copier copier(graph);
  for (ValueId id : inputs) copier.add_input(id);
  for (NodeId id : nodes) CA_RETURN_IF_ERROR(copier.add_node(graph.node(id)));
  for (ValueId id : outputs) {
    if (!copier.require(id)) {
      return invalid_program("the region does not produce its output '{}'", graph.value(id).name);
    }
    copier.graph().add_output(ValueRef{copier.mapped(id)});
  }
  return std::move(copier.graph());
}

Graph callable_graph(const Graph& graph) {
  std::vector<bool> computed(graph.values().size(), false);
  std::vector<bool> read(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    for (ValueId id : node.outputs) {
      if (id != kNoId) computed[id] = true;
    }
    for_each_input(node, [&](ValueId id) { read[id] = true; });
  }
  std::vector<ValueId> inputs;
  for (ValueId id : graph.inputs()) {
    if (read[id]) inputs.push_back(id);
  }
  std::vector<ValueId> outputs;
  const auto add = [&](ValueId id) {
    if (computed[id] && std::find(outputs.begin(), outputs.end(), id) == outputs.end())
      outputs.push_back(id);
  };
  for (const Argument& output : graph.outputs()) for_each_value(output, add);
  for (const Assertion& assertion : graph.assertions()) add(assertion.condition);
  std::vector<NodeId> nodes(graph.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  Result<Graph> out = extract_subgraph(graph, nodes, inputs, outputs);
  assert(out.ok());  // every input that is read and every node came along
  return *std::move(out);
}

Graph eliminate_dead_nodes(const Graph& graph) {
  std::vector<bool> live(graph.values().size(), false);
  const auto mark = [&](ValueId id) { live[id] = true; };
  for (const Argument& output : graph.outputs()) for_each_value(output, mark);
  for (const Assertion& assertion : graph.assertions()) mark(assertion.condition);
  std::vector<NodeId> kept;
  for (size_t i = graph.nodes().size(); i > 0; --i) {
    const Node& node = graph.nodes()[i - 1];
    const bool needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ValueId id) { return id != kNoId && live[id]; });
    if (!needed) continue;
    kept.push_back(static_cast<NodeId>(i - 1));
    for_each_input(node, mark);
  }
  std::reverse(kept.begin(), kept.end());

  Copier copier(graph);
  for (ValueId id : graph.inputs()) copier.add_input(id);
  // Constants in their old order, so that dropping a node does not reorder them.
  for (const Constant& constant : graph.constants()) {
    if (live[constant.value]) copier.require(constant.value);
  }
  for (NodeId id : kept) {
    // Everything a kept node reads is live, and so is here.
    [[maybe_unused]] const Status status = copier.add_node(graph.node(id));
    assert(status.ok());
  }
  for (const Argument& output : graph.outputs()) copier.graph().add_output(copier.mapped(output));
  for (const Assertion& a : graph.assertions()) {
    copier.graph().add_assertion({copier.mapped(a.condition), a.message});
  }
  return std::move(copier.graph());
}

Graph all_exact(Graph graph) {
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    Node& node = graph.mutable_node(n);
    node.exact = true;
    for (Argument& argument : node.args) {
      auto* body = std::get_if<std::shared_ptr<const Graph>>(&argument);
      if (body != nullptr && *body != nullptr)
        *body = std::make_shared<const Graph>(all_exact(**body));
    }
  }
  return graph;
}

}  // namespace changeaware
