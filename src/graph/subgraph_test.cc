#include "graph/subgraph.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "graph/verifier.h"

namespace changeaware {
namespace {

Graph sample() {
  auto graph = parse_graph(R"(graph(%x: f32[2], %y: f32[2]) {
    %w = constant f32[2] {1, 2}
    %unused = constant f32[2] {3, 4}
    %a: f32[2] = aten.mul.Tensor(%x, %w)
    %dead: f32[2] = aten.add.Tensor(%a, %unused)
    %b: f32[2] = aten.add.Tensor(%a, %y)
    %c: f32[2] = aten.mul.Tensor(%b, %w)
    return (%c, %x, %w, 3)
  })");
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  return *graph;
}

TEST(Subgraph, HasThePortsInTheGivenOrderAndItsConstants) {
  const Graph g = sample();
  const std::vector<NodeId> nodes = {2, 3};
  const std::vector<ValueId> inputs = {g.find_value("y"), g.find_value("a")};
  const std::vector<ValueId> outputs = {g.find_value("c"), g.find_value("b")};
  auto region = extract_subgraph(g, nodes, inputs, outputs);
  ASSERT_TRUE(region.ok()) << region.status().to_string();
  EXPECT_TRUE(verify(*region).ok());
  EXPECT_EQ(print_graph(*region), R"(graph(%y: f32[2], %a: f32[2]) {
  %w = constant f32[2] {1, 2}
  %b: f32[2] = aten.add.Tensor(%a, %y)
  %c: f32[2] = aten.mul.Tensor(%b, %w)
  return (%c, %b)
}
)");
}

TEST(Subgraph, TheEngineOfANodeComesAlong) {
  Graph g = sample();
  g.mutable_node(2).exact = true;
  const Graph callable = callable_graph(g);
  for (NodeId n = 0; n < callable.nodes().size(); ++n)
    EXPECT_EQ(callable.node(n).exact, n == 2) << n;
  const Graph exact = all_exact(g);
  for (const Node& node : exact.nodes()) EXPECT_TRUE(node.exact) << node.name;
}

TEST(Subgraph, AMissingInputIsNamed) {
  const Graph g = sample();
  const std::vector<NodeId> nodes = {2};
  const std::vector<ValueId> inputs = {g.find_value("a")};
  const std::vector<ValueId> outputs = {g.find_value("b")};
  EXPECT_EQ(extract_subgraph(g, nodes, inputs, outputs).status().message(),
            "node 'b' reads 'y', which is not part of the region");
}

TEST(Subgraph, DeadNodesAndConstantsGoInputsStay) {
  const Graph live = eliminate_dead_nodes(sample());
  EXPECT_TRUE(verify(live).ok());
  EXPECT_EQ(print_graph(live), R"(graph(%x: f32[2], %y: f32[2]) {
  %w = constant f32[2] {1, 2}
  %a: f32[2] = aten.mul.Tensor(%x, %w)
  %b: f32[2] = aten.add.Tensor(%a, %y)
  %c: f32[2] = aten.mul.Tensor(%b, %w)
  return (%c, %x, %w, 3)
}
)");
}

TEST(Subgraph, WhatAnAssertionReadsIsAlive) {
  auto g = parse_graph(R"(graph(%x: f32[]) {
    %ok: bool[] = aten.gt.Scalar(%x, 0)
    assert %ok "x > 0"
    return (%x)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  EXPECT_EQ(eliminate_dead_nodes(*g).nodes().size(), 1u);
}

TEST(Subgraph, ACallableHasEachComputedResultOnceThenConditions) {
  auto g = parse_graph(R"(graph(%x: f32[], %unread: f32[]) {
    %w = constant f32[] {1}
    %a: f32[] = aten.add.Tensor(%x, %w)
    %ok: bool[] = aten.gt.Scalar(%x, 0)
    assert %ok "x > 0"
    return (%a, %x, %w, None, %a)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  const Graph callable = callable_graph(*g);
  EXPECT_TRUE(verify(callable).ok());
  EXPECT_EQ(print_graph(callable), R"(graph(%x: f32[]) {
  %w = constant f32[] {1}
  %a: f32[] = aten.add.Tensor(%x, %w)
  %ok: bool[] = aten.gt.Scalar(%x, 0)
  return (%a, %ok)
}
)");
}

}  // namespace
}  // namespace changeaware
