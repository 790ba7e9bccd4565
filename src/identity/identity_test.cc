// What does not change the identity of a region, and the decisions of docs/identity.md.
#include "identity/identity.h"

#include <fmt/format.h>

#include "identity/test_util.h"

namespace changeaware {
namespace {

TEST(Identity, NamesDoNotEnter) {
  EXPECT_EQ(bytes_of(R"(graph(%image: f32[1, s0]) {
                          %w = constant f32[2] "tower.weight"
                          %a: f32[1, s0] = aten.relu.default(%image)
                          return (%a, %w) })"),
            bytes_of(R"(graph(%photo: f32[1, s77]) {
                          %v = constant f32[2] "other.weight"
                          %b: f32[1, s77] = aten.relu.default(%photo)
                          return (%b, %v) })"));
}

TEST(Identity, TheOrderOfNodesAndConstantsDoesNotEnter) {
  EXPECT_EQ(bytes_of(R"(graph(%x: f32[2], %y: f32[2]) {
                          %v = constant f32[2] {1, 2}
                          %w = constant f32[2] {3, 4}
                          %a: f32[2] = aten.mul.Tensor(%x, %v)
                          %b: f32[2] = aten.mul.Tensor(%y, %w)
                          %c: f32[2] = aten.sub.Tensor(%a, %b)
                          return (%c) })"),
            bytes_of(R"(graph(%x: f32[2], %y: f32[2]) {
                          %w = constant f32[2] {3, 4}
                          %v = constant f32[2] {1, 2}
                          %b: f32[2] = aten.mul.Tensor(%y, %w)
                          %a: f32[2] = aten.mul.Tensor(%x, %v)
                          %c: f32[2] = aten.sub.Tensor(%a, %b)
                          return (%c) })"));
}

TEST(Identity, WhatNothingReadsDoesNotEnter) {
  EXPECT_EQ(bytes_of(R"(graph(%x: f32[2]) {
                          %a: f32[2] = aten.relu.default(%x)
                          return (%a) })"),
            bytes_of(R"(graph(%x: f32[2]) {
                          %w = constant f32[2] {1, 2}
                          %dead: f32[2] = aten.mul.Tensor(%x, %w)
                          %dead2: f32[2] = aten.relu.default(%dead)
                          %a: f32[2] = aten.relu.default(%x)
                          return (%a) })"));
}

TEST(Identity, APortThatNothingReadsEnters) {
  EXPECT_NE(bytes_of("graph(%x: f32[2]) { return (%x) }"),
            bytes_of("graph(%x: f32[2], %y: f32[2]) { return (%x) }"));
}

TEST(Identity, EqualNodesAreNotMerged) {
  EXPECT_NE(bytes_of(R"(graph(%x: f32[2]) {
                          %a: f32[2] = aten.relu.default(%x)
                          %c: f32[2] = aten.add.Tensor(%a, %a)
                          return (%c) })"),
            bytes_of(R"(graph(%x: f32[2]) {
                          %a: f32[2] = aten.relu.default(%x)
                          %b: f32[2] = aten.relu.default(%x)
                          %c: f32[2] = aten.add.Tensor(%a, %b)
                          return (%c) })"));
}

TEST(Identity, SymbolsAreComparedUpToConsistentRenaming) {
  const std::string base = bytes_of("graph(%x: f32[s0, s1], %y: f32[s0 + s1]) { return (%y) }");
  EXPECT_EQ(base, bytes_of("graph(%x: f32[s9, s1], %y: f32[s1 + s9]) { return (%y) }"));
  EXPECT_EQ(base, bytes_of("graph(%x: f32[s1, s0], %y: f32[s0 + s1]) { return (%y) }"));
  EXPECT_NE(base, bytes_of("graph(%x: f32[s0, s0], %y: f32[s0 + s0]) { return (%y) }"));
  EXPECT_NE(bytes_of("graph(%x: f32[s0, s1], %y: f32[s0]) { return (%y) }"),
            bytes_of("graph(%x: f32[s0, s1], %y: f32[s1]) { return (%y) }"));
  // A bare symbol is numbered before an expression on an earlier port.
  EXPECT_EQ(bytes_of("graph(%y: f32[a + b], %x: f32[b, a]) { return (%y) }"),
            bytes_of("graph(%y: f32[a + b], %x: f32[a, b]) { return (%y) }"));
}

TEST(Identity, WordsThatAreNoSymbolsKeepTheirMeaning) {
  const auto with = [](const std::string& expression) {
    Graph graph = graph_of("graph(%x: f32[2], %b: symbool) { return (%x, %b) }");
    graph.mutable_value(graph.find_value("b")).symbol = Dim{0, expression};
    return bytes_of(graph);
  };
  EXPECT_NE(with("true"), with("false"));
}

TEST(Identity, AListOfIntegersIsOneKind) {
  Graph graph = graph_of(R"(graph(%x: f32[4]) {
                              %a: f32[2, 2] = aten.view.default(%x, [2, 2])
                              return (%a) })");
  const std::string before = bytes_of(graph);
  graph.mutable_node(0).args[1] = SymIntList{{int64_t{2}, int64_t{2}}};
  EXPECT_EQ(bytes_of(graph), before);
}

TEST(Identity, DrawsOfRandomNumbersEnterInProgramOrder) {
  EXPECT_NE(bytes_of(R"(graph(%x: f32[2], %y: f32[2]) {
                          %a: f32[2] = aten.rand_like.default(%x)
                          %b: f32[2] = aten.rand_like.default(%y)
                          return (%a, %b) })"),
            bytes_of(R"(graph(%x: f32[2], %y: f32[2]) {
                          %b: f32[2] = aten.rand_like.default(%y)
                          %a: f32[2] = aten.rand_like.default(%x)
                          return (%a, %b) })"));
}

TEST(Identity, ADrawThatNothingReadsEnters) {
  EXPECT_NE(bytes_of("graph(%x: f32[2]) { return (%x) }"), bytes_of(R"(graph(%x: f32[2]) {
                          %a: f32[2] = aten.rand_like.default(%x)
                          return (%x) })"));
}

Graph with_nested(std::string_view inner) {
  Graph outer = graph_of(R"(graph(%x: f32[s0]) {
                              %a: f32[s0] = aten.relu.default(%x)
                              return (%a) })");
  outer.mutable_node(0).args[0] = std::make_shared<const Graph>(graph_of(inner));
  return outer;
}

TEST(Identity, NestedGraphsAreComparedByTheSameRules) {
  const std::string base = bytes_of(with_nested(R"(graph(%p: f32[2]) {
      %q: f32[2] = aten.relu.default(%p)
      return (%q) })"));
  EXPECT_EQ(base, bytes_of(with_nested(R"(graph(%r: f32[2]) {
      %dead: f32[2] = aten.sigmoid.default(%r)
      %s: f32[2] = aten.relu.default(%r)
      return (%s) })")));
  EXPECT_NE(base, bytes_of(with_nested(R"(graph(%p: f32[2]) {
      %q: f32[2] = aten.sigmoid.default(%p)
      return (%q) })")));
}

TEST(Identity, EqualTowersAreEqualUntilAWeightDiffers) {
  const auto tower = [](std::string_view name, std::string_view weights) {
    return bytes_of(fmt::format(R"(graph(%{0}: f32[2]) {{
                                     %{0}_w = constant f32[2, 2] {{{1}}}
                                     %{0}_a: f32[2] = aten.mv.default(%{0}_w, %{0})
                                     return (%{0}_a) }})",
                                name, weights));
  };
  EXPECT_EQ(tower("image", "1, 2, 3, 4"), tower("text", "1, 2, 3, 4"));
  EXPECT_NE(tower("image", "1, 2, 3, 4"), tower("text", "1, 2, 3, 5"));
}

TEST(Identity, ATiedWeightIsDigestedOnce) {
  const Graph graph = graph_of(R"(graph(%x: f32[2]) {
                                    %w = constant f32[2] {1, 2}
                                    %a: f32[2] = aten.mul.Tensor(%x, %w)
                                    %b: f32[2] = aten.add.Tensor(%a, %w)
                                    return (%b, %w) })");
  ParameterDigests digests;
  const Digest first = region_identity(graph, kTestConfig, digests);
  EXPECT_EQ(region_identity(graph, kTestConfig, digests), first);
  EXPECT_EQ(digests.computed_count(), 1u);
  EXPECT_EQ(first, identity_of(canonical_bytes(graph, kTestConfig, digests)));
}

TEST(Identity, DeepGraphsNeedNoDeepStack) {
  Graph graph = graph_of("graph(%x: f32[2]) { return () }");
  ValueId last = graph.inputs()[0];
  const OpSchema* relu = find_op("aten.relu.default");
  for (int i = 0; i < 200000; ++i) {
    Value value = graph.value(last);
    value.name = fmt::format("v{}", i);
    const ValueId next = graph.add_value(std::move(value));
    graph.add_node({relu, {ValueRef{last}}, {next}, ""});
    last = next;
  }
  graph.add_output(ValueRef{last});
  EXPECT_GT(bytes_of(graph).size(), 200000u * 40);
}

// A doubling ladder: 2^60 paths, 60 nodes.
TEST(Identity, SharedOperandsAreVisitedOnce) {
  std::string text = "graph(%v0: f32[2]) {\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("%v{}: f32[2] = aten.add.Tensor(%v{}, %v{})\n", i + 1, i, i);
  EXPECT_LT(bytes_of(text + "return (%v60) }").size(), 60u * 300);
}

// The digest was computed from docs/identity.md by other means. If it changes, kFormat must too.
TEST(Identity, StoredIdentitiesStayValid) {
  const Graph graph = graph_of(R"(graph(%x: f32[2, s0], %n: sym(s0)) {
      %w = constant f32[2, 1] {1.5, -0.0}
      %a: f32[2, s0] = aten.add.Tensor(%x, %w, alpha=2)
      %m: f32[2], %i: i64[2] = aten.max.dim(%a, 1)
      assert %m "positive"
      return (%i, %a, None, 3, 1.5) })");
  ParameterDigests digests;
  EXPECT_EQ(to_hex(region_identity(graph, kTestConfig, digests)),
            "8d43b70d32d2ca02783bc670fde9009a0fc6f3aa583eff4ef32e20912eb614a8");
}

}  // namespace
}  // namespace changeaware
