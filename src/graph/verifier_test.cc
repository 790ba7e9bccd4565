#include "graph/verifier.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

Graph sample() {
  auto graph = parse_graph(R"(graph(%x: f32[2]) {
    %w = constant f32[2] {1, 2}
    %a: f32[2] = aten.mul.Tensor(%x, %w)
    %b: f32[2] = aten.relu.default(%a)
    return (%b)
  })");
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  return *graph;
}

TEST(Verifier, AcceptsAWellFormedGraph) { EXPECT_TRUE(verify(sample()).ok()); }

TEST(Verifier, AUseBeforeItsDefinitionIsNamed) {
  Graph g = sample();
  g.mutable_node(0).args[0] = ValueRef{g.find_value("b")};
  EXPECT_EQ(verify(g).message(), "node 'a' reads 'b' before it is defined");
}

TEST(Verifier, ASecondDefinitionIsNamed) {
  Graph g = sample();
  g.mutable_node(1).outputs[0] = g.find_value("a");
  EXPECT_EQ(verify(g).message(), "value 'a' is defined twice");
}

TEST(Verifier, AMissingArgumentIsNamed) {
  Graph g = sample();
  g.mutable_node(0).args.pop_back();
  EXPECT_EQ(verify(g).message(), "node 'a': 1 arguments for the 2 of aten.mul.Tensor");
}

TEST(Verifier, AConstantThatContradictsItsSpecIsNamed) {
  Graph g = sample();
  g.mutable_value(g.find_value("w")).spec.dtype = DType::kInt64;
  EXPECT_EQ(verify(g).message(), "constant 'w' is float32 [2], the graph says int64 [2]");
}

TEST(Verifier, AValueIdOutsideTheGraphIsRefused) {
  Graph g = sample();
  g.mutable_node(0).args[0] = ValueRef{77};
  EXPECT_EQ(verify(g).code(), StatusCode::kInvalidProgram);
}

TEST(Graph, ATakenNameGetsASuffix) {
  Graph g = sample();
  const ValueId again = g.add_value({.name = "a"});
  EXPECT_EQ(g.value(again).name, "a_1");
  EXPECT_EQ(g.find_value("a_1"), again);
  EXPECT_EQ(g.find_value("nope"), kNoId);
}

TEST(Verifier, ABodyThatDoesNotFitItsOperandsIsNamed) {
  const auto graph = parse_graph(R"(graph(%p: bool[], %x: f32[4]) {
    %c: f32[4] = higher_order.cond(%p, {graph(%a: f32[4]) { return (%a) }},
                                   {graph(%a: f32[4], %b: f32[4]) { return (%a) }}, [%x])
    return (%c)
  })");
  EXPECT_NE(graph.status().message().find(
                "node 'c': false_graph takes 2 values and gives 1, not 1 and 1"),
            std::string::npos)
      << graph.status().to_string();
}

TEST(Verifier, LoopsPassWhatTheyCarryAndWhatTheyOnlyRead) {
  const auto graph = parse_graph(R"(graph(%i: i64[], %x: f32[4], %n: i64[]) {
    %j: i64[], %y: f32[4] = higher_order.while_loop(
      {graph(%i: i64[], %x: f32[4], %n: i64[]) {
        %go: bool[] = aten.lt.Tensor(%i, %n)
        return (%go)
      }},
      {graph(%i: i64[], %x: f32[4], %n: i64[]) {
        %j: i64[] = aten.add.Tensor(%i, 1)
        %y: f32[4] = aten.neg.default(%x)
        return (%j, %y)
      }}, [%i, %x], [%n])
    return (%y)
  })");
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
}

}  // namespace
}  // namespace changeaware
