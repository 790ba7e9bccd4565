// Properties of identities over random graphs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "identity/test_util.h"

namespace changeaware {
namespace {

size_t pick(std::mt19937& random, size_t n) { return random() % n; }

// Up to 4 inputs, 4 constants and 25 nodes with attributes, lists, several results and symbols.
Graph random_graph(std::mt19937& random) {
  std::vector<std::string> names;
  std::string text = "graph(";
  const size_t inputs = 1 + pick(random, 4);
  for (size_t i = 0; i < inputs; ++i) {
    text += fmt::format("%x{}: f32[s{}, {}], ", i, pick(random, 3), 1 + pick(random, 2));
    names.push_back(fmt::format("x{}", i));
  }
  text += ") {\n";
  for (size_t i = 0; i < pick(random, 5); ++i) {
    text += fmt::format("%w{} = constant f32[2, 2] {{1, 2, 3, {}}}\n", i, pick(random, 3));
    names.push_back(fmt::format("w{}", i));
  }
  const size_t nodes = 1 + pick(random, 25);
  for (size_t i = 0; i < nodes; ++i) {
    const auto operand = [&] { return names[pick(random, names.size())]; };
    const std::string type = fmt::format("f32[s0 + {}*s1]", 1 + pick(random, 2));
    switch (pick(random, 4)) {
      case 0: text += fmt::format("%n{}: {} = aten.relu.default(%{})\n", i, type, operand()); break;
      case 1:
        text += fmt::format("%n{}: {} = aten.cat.default([%{}, %{}, %{}], {})\n", i, type,
                            operand(), operand(), operand(), pick(random, 2));
        break;
      case 2:
        text += fmt::format("%n{}: {}, %i{}: i64[2] = aten.max.dim(%{}, {})\n", i, type, i,
                            operand(), pick(random, 2));
        names.push_back(fmt::format("i{}", i));
        break;
      default:
        text += fmt::format("%n{}: {} = aten.add.Tensor(%{}, %{}, alpha={})\n", i, type, operand(),
                            operand(), 1 + pick(random, 3));
    }
    names.push_back(fmt::format("n{}", i));
  }
  if (pick(random, 2)) text += fmt::format("assert %{} \"a\"\n", names[pick(random, names.size())]);
  text += "return (";
  for (size_t i = 0; i < 1 + pick(random, 3); ++i)
    text += fmt::format("%{}, ", names[pick(random, names.size())]);
  return graph_of(text + ")\n}");
}

constexpr int kGraphs = 1000;

TEST(IdentityProperties, RenamingAndReorderingKeepIt) {
  std::mt19937 random(1);
  for (int i = 0; i < kGraphs; ++i) {
    const Graph graph = random_graph(random);
    const std::string before = bytes_of(graph);
    const Graph other = disguised(graph, random);
    ASSERT_EQ(bytes_of(other), before) << print_graph(graph) << print_graph(other);
  }
}

std::vector<NodeId> reached_nodes(const Graph& graph) {
  std::vector<bool> live(graph.values().size(), false);
  const auto mark = [&](ValueId id) { live[id] = true; };
  for (const Argument& output : graph.outputs()) for_each_value(output, mark);
  for (const Assertion& a : graph.assertions()) mark(a.condition);
  std::vector<NodeId> out;
  for (NodeId n = static_cast<NodeId>(graph.nodes().size()); n-- > 0;) {
    const auto& outputs = graph.node(n).outputs;
    if (std::none_of(outputs.begin(), outputs.end(), [&](ValueId id) { return live[id]; }))
      continue;
    out.push_back(n);
    for_each_input(graph.node(n), mark);
  }
  return out;
}

// Changes one thing of one node that is reached. False when that node offers nothing to change.
bool change_node(Graph& graph, NodeId id, std::mt19937& random) {
  Node& node = graph.mutable_node(id);
  for (Argument& argument : node.args) {
    if (auto* number = std::get_if<int64_t>(&argument)) {
      ++*number;
      return true;
    }
  }
  const ValueId result = node.outputs[pick(random, node.outputs.size())];
  graph.mutable_value(result).spec.dims.push_back(Dim{1, ""});
  return true;
}

TEST(IdentityProperties, AChangeOfAReachedNodeAltersItAndOfAnotherNodeDoesNot) {
  std::mt19937 random(2);
  int dead = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const Graph graph = random_graph(random);
    const std::string before = bytes_of(graph);
    const std::vector<NodeId> reached = reached_nodes(graph);
    for (NodeId n = 0; n < graph.nodes().size(); ++n) {
      Graph other = graph;
      ASSERT_TRUE(change_node(other, n, random));
      const bool is_reached = std::find(reached.begin(), reached.end(), n) != reached.end();
      dead += !is_reached;
      ASSERT_EQ(bytes_of(other) != before, is_reached) << print_graph(graph) << n;
    }
  }
  EXPECT_GT(dead, 100);
}

// A graph small enough to compare by trying every correspondence of nodes.
struct Toy {
  struct Operation {
    int op;  // 0: relu, 1: sub
    std::array<int, 2> operands;
  };
  static constexpr int kInputs = 2;
  std::vector<Operation> nodes;  // value kInputs + i is the result of node i
  std::vector<int> outputs;
};

Toy random_toy(std::mt19937& random) {
  Toy toy;
  const size_t nodes = pick(random, 5);
  for (size_t i = 0; i < nodes; ++i) {
    const auto operand = [&] { return static_cast<int>(pick(random, Toy::kInputs + i)); };
    toy.nodes.push_back({static_cast<int>(pick(random, 2)), {operand(), operand()}});
  }
  for (size_t i = 0; i < 1 + pick(random, 2); ++i)
    toy.outputs.push_back(static_cast<int>(pick(random, Toy::kInputs + nodes)));
  return toy;
}

Graph graph_of(const Toy& toy) {
  std::string text = "graph(%v0: f32[2], %v1: f32[2]) {\n";
  for (size_t i = 0; i < toy.nodes.size(); ++i) {
    const auto& [op, operands] = toy.nodes[i];
    text += op == 0 ? fmt::format("%v{}: f32[2] = aten.relu.default(%v{})\n", i + Toy::kInputs,
                                  operands[0])
                    : fmt::format("%v{}: f32[2] = aten.sub.Tensor(%v{}, %v{})\n", i + Toy::kInputs,
                                  operands[0], operands[1]);
  }
  text += "return (";
  for (int v : toy.outputs) text += fmt::format("%v{}, ", v);
  return changeaware::graph_of(text + ") }");
}

std::vector<int> reached(const Toy& toy) {
  std::vector<bool> live(Toy::kInputs + toy.nodes.size(), false);
  for (int v : toy.outputs) live[static_cast<size_t>(v)] = true;
  std::vector<int> out;
  for (size_t i = toy.nodes.size(); i-- > 0;) {
    if (!live[i + Toy::kInputs]) continue;
    out.push_back(static_cast<int>(i));
    for (int k = 0; k <= toy.nodes[i].op; ++k)
      live[static_cast<size_t>(toy.nodes[i].operands[static_cast<size_t>(k)])] = true;
  }
  std::sort(out.begin(), out.end());
  return out;
}

// By the definition: some one-to-one map of reached nodes keeps operators, operands and outputs.
bool isomorphic(const Toy& a, const Toy& b) {
  const std::vector<int> from = reached(a);
  std::vector<int> to = reached(b);
  if (from.size() != to.size() || a.outputs.size() != b.outputs.size()) return false;
  do {
    const auto mapped = [&](int v) {
      if (v < Toy::kInputs) return v;
      const auto it = std::find(from.begin(), from.end(), v - Toy::kInputs);
      return to[static_cast<size_t>(it - from.begin())] + Toy::kInputs;
    };
    bool same = true;
    for (size_t i = 0; same && i < from.size(); ++i) {
      const auto& x = a.nodes[static_cast<size_t>(from[i])];
      const auto& y = b.nodes[static_cast<size_t>(to[i])];
      same = x.op == y.op && mapped(x.operands[0]) == y.operands[0] &&
             (x.op == 0 || mapped(x.operands[1]) == y.operands[1]);
    }
    for (size_t i = 0; same && i < a.outputs.size(); ++i)
      same = mapped(a.outputs[i]) == b.outputs[i];
    if (same) return true;
  } while (std::next_permutation(to.begin(), to.end()));
  return false;
}

TEST(IdentityProperties, BytesAreEqualExactlyForIsomorphicGraphs) {
  std::mt19937 random(3);
  std::vector<Toy> toys;
  std::vector<std::string> bytes;
  for (int i = 0; i < 1500; ++i) {
    toys.push_back(random_toy(random));
    bytes.push_back(bytes_of(graph_of(toys.back())));
  }
  int equal = 0;
  for (size_t i = 0; i < toys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool same = bytes[i] == bytes[j];
      equal += same && reached(toys[i]).size() > 1;
      ASSERT_EQ(same, isomorphic(toys[i], toys[j]))
          << print_graph(graph_of(toys[i])) << print_graph(graph_of(toys[j]));
    }
  }
  EXPECT_GT(equal, 100);
}

}  // namespace
}  // namespace changeaware
