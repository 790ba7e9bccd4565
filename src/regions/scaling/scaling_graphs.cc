#include "regions/scaling/scaling_graphs.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace changeaware::bench {
namespace {

using Random = std::mt19937;

size_t pick(Random& random, size_t n) { return random() % n; }

// Adds inputs, weights and nodes by the shape of their results.
class Builder {
 public:
  ValueId input(std::vector<int64_t> shape) {
    const ValueId id = value("input", shape);
    graph.add_input(id);
    return id;
  }
  ValueId weight(std::vector<int64_t> shape) {
    const ValueId id = value("weight", shape);
    graph.add_constant({.value = id, .fqn = graph.value(id).name});
    return id;
  }
  ValueId node(std::string_view op, std::vector<Argument> args, std::vector<int64_t> shape) {
    const OpSchema* schema = find_op(op);
    for (size_t a = args.size(); a < schema->args.size(); ++a) {
      args.push_back(schema->args[a].default_value);
    }
    const ValueId id = value("value", shape);
    graph.add_node({schema, std::move(args), {id}, graph.value(id).name});
    return id;
  }
  ValueId sum(ValueId a, ValueId b, std::vector<int64_t> shape) {
    return node("aten.add.Tensor", {ValueRef{a}, ValueRef{b}}, std::move(shape));
  }

  Graph graph;

 private:
  ValueId value(const char* kind, const std::vector<int64_t>& shape) {
    Value out;
    out.name = kind + std::to_string(graph.values().size());
    for (int64_t size : shape) out.spec.dims.push_back({size, ""});
    return graph.add_value(std::move(out));
  }
};

constexpr int64_t kTokens = 16;

// Blocks of a normalisation, two linear layers around an activation, and a residual sum; now and
// then the width changes.
ValueId tower(Builder& b, ValueId x, int64_t width, size_t nodes, Random& random) {
  for (size_t made = 0; made < nodes; made += 5) {
    const ValueId w = b.weight({width, width});
    const ValueId n = b.node("aten.mul.Tensor", {ValueRef{x}, ValueRef{x}}, {kTokens, width});
    const auto wide = static_cast<int64_t>(width * (1 + pick(random, 4)));
    const ValueId up = b.node("aten.linear.default", {ValueRef{n}, ValueRef{w}}, {kTokens, wide});
    const ValueId act = b.node("aten.relu.default", {ValueRef{up}}, {kTokens, wide});
    if (pick(random, 20) == 0) width = static_cast<int64_t>(32 * (1 + pick(random, 64)));
    const ValueId down =
        b.node("aten.linear.default", {ValueRef{act}, ValueRef{w}}, {kTokens, width});
    x = b.sum(x, down, {kTokens, width});
  }
  return x;
}

// A node of one to three operands and a random shape.
ValueId random_node(Builder& b, const std::vector<ValueId>& from, size_t recent, Random& random) {
  const auto operand = [&] {
    const size_t window = std::min(recent, from.size());
    return from[from.size() - 1 - pick(random, window)];
  };
  const std::vector<int64_t> shape = {static_cast<int64_t>(1 + pick(random, 256)),
                                      static_cast<int64_t>(1 + pick(random, 1024))};
  switch (pick(random, 3)) {
    case 0: return b.node("aten.relu.default", {ValueRef{operand()}}, shape);
    case 1: return b.sum(operand(), operand(), shape);
    default:
      return b.node("aten.addmm.default",
                    {ValueRef{operand()}, ValueRef{operand()}, ValueRef{operand()}}, shape);
  }
}

// Every value that nothing reads is a result.
void return_unread(Graph& graph) {
  std::vector<bool> read(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    for_each_input(node, [&](ValueId v) { read[v] = true; });
  }
  for (const Node& node : graph.nodes()) {
    if (!read[node.outputs[0]]) graph.add_output(ValueRef{node.outputs[0]});
  }
}

// The unread values of a random graph, summed up in one tree.
void return_sum(Builder& b) {
  std::vector<bool> read(b.graph.values().size(), false);
  for (const Node& node : b.graph.nodes()) {
    for_each_input(node, [&](ValueId v) { read[v] = true; });
  }
  std::vector<ValueId> open;
  for (const Node& node : b.graph.nodes()) {
    if (!read[node.outputs[0]]) open.push_back(node.outputs[0]);
  }
  for (size_t i = 0; i + 1 < open.size(); i += 2) open.push_back(b.sum(open[i], open[i + 1], {64}));
  b.graph.add_output(ValueRef{open.back()});
}

}  // namespace

Graph residual_towers(size_t nodes) {
  Random random(1);
  Builder b;
  std::vector<ValueId> ends;
  for (int t = 0; t < 4; ++t)
    ends.push_back(tower(b, b.input({kTokens, 64}), 64, nodes / 5, random));
  const ValueId left = b.sum(ends[0], ends[1], {kTokens, 64});
  const ValueId right = b.sum(ends[2], ends[3], {kTokens, 64});
  tower(b, b.sum(left, right, {kTokens, 64}), 64, nodes / 5, random);
  return_unread(b.graph);
  return std::move(b.graph);
}

Graph wide_random(size_t nodes) {
  Random random(2);
  Builder b;
  std::vector<ValueId> values;
  for (int i = 0; i < 16; ++i) values.push_back(b.input({64, 64}));
  while (b.graph.nodes().size() < nodes * 9 / 10) {
    values.push_back(random_node(b, values, values.size(), random));
  }
  return_sum(b);
  return std::move(b.graph);
}

Graph many_classes(size_t nodes) {
  constexpr size_t kInputs = 250;
  Random random(3);
  Builder b;
  std::vector<ValueId> values;
  for (size_t n = 0; n < nodes * 9 / 10; ++n) {
    if (n % (nodes / kInputs) == 0) values.push_back(b.input({64, 64}));
    values.push_back(random_node(b, values, 64, random));
  }
  return_sum(b);
  return std::move(b.graph);
}

Graph single_class(size_t nodes) {
  Random random(4);
  Builder b;
  std::vector<ValueId> values = {b.input({64, 64})};
  while (b.graph.nodes().size() < nodes) {
    const std::vector<ValueId> last = {values.back()};
    const ValueId own = random_node(b, last, 1, random);
    values.push_back(b.sum(own, random_node(b, values, 64, random), {64, 64}));
  }
  b.graph.add_output(ValueRef{values.back()});
  return std::move(b.graph);
}

}  // namespace changeaware::bench
