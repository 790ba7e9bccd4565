#include "analysis/dependencies.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

struct Analysed {
  Graph graph;
  Dependencies dependencies;

  // Positions of the inputs that `name` depends on.
  std::vector<size_t> values(const std::string& name) const {
    return members(dependencies.values[graph.find_value(name)]);
  }
  std::vector<size_t> shapes(const std::string& name) const {
    return members(dependencies.shapes[graph.find_value(name)]);
  }
};

Analysed analyse(const char* text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  auto dependencies = analyse_dependencies(*graph);
  EXPECT_TRUE(dependencies.ok()) << dependencies.status().to_string();
  return {std::move(*graph), std::move(*dependencies)};
}

using Set = std::vector<size_t>;

TEST(Dependencies, AreTheUnionOverAllPaths) {
  const Analysed a = analyse(R"(graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
    %w = constant f32[2] {1, 2}
    %a: f32[2] = aten.mul.Tensor(%x, %w)
    %b: f32[2] = aten.add.Tensor(%a, %y)
    %c: f32[2] = aten.relu.default(%w)
    %d: f32[4] = aten.cat.default([%b, %z])
    return (%d, %c)
  })");
  EXPECT_EQ(a.values("a"), (Set{0}));
  EXPECT_EQ(a.values("b"), (Set{0, 1}));
  EXPECT_EQ(a.values("c"), (Set{}));
  EXPECT_EQ(a.values("d"), (Set{0, 1, 2}));
  EXPECT_EQ(a.shapes("c"), (Set{}));
}

TEST(Dependencies, ASizeIsNotAValue) {
  const Analysed a = analyse(R"(graph(%x: f32[s0, 4], %y: f32[4]) {
    %n: sym(s0) = aten.sym_size.int(%x, 0)
    %z: f32[s0, 4] = aten.full.default([%n, 4], 1.0)
    %p: f32[s0, 4] = aten.add.Tensor(%z, %y)
    %q: f32[s0, 4] = aten.add.Tensor(%p, %x)
    return (%q)
  })");
  EXPECT_EQ(a.values("n"), (Set{}));
  EXPECT_EQ(a.shapes("n"), (Set{0}));
  EXPECT_EQ(a.values("z"), (Set{}));
  EXPECT_EQ(a.shapes("z"), (Set{0}));
  EXPECT_EQ(a.values("p"), (Set{1}));
  EXPECT_EQ(a.shapes("p"), (Set{0, 1}));
  EXPECT_EQ(a.values("q"), (Set{0, 1}));
}

TEST(Dependencies, OnesLikeOfAnInputReadsItsShapeOnly) {
  const Analysed a = analyse(R"(graph(%x: f32[s0], %fixed: f32[3]) {
    %o: f32[s0] = aten.ones_like.default(%x)
    %f: f32[3] = aten.zeros_like.default(%fixed)
    return (%o, %f)
  })");
  EXPECT_EQ(a.values("o"), (Set{}));
  EXPECT_EQ(a.shapes("o"), (Set{0}));
  EXPECT_EQ(a.values("f"), (Set{}));
  EXPECT_EQ(a.shapes("f"), (Set{1})) << "the node reads that input, whatever its sizes";
}

TEST(Dependencies, ASizeOfAComputedValueCountsInFull) {
  const Analysed a = analyse(R"(graph(%x: f32[s0]) {
    %r: f32[s0] = aten.relu.default(%x)
    %n: sym(s0) = aten.sym_size.int(%r, 0)
    %z: f32[s0] = aten.full.default([%n], 1.0)
    return (%z)
  })");
  EXPECT_EQ(a.values("z"), (Set{0}));
}

TEST(Dependencies, EveryResultOfANodeDependsOnAllItsInputs) {
  const Analysed a = analyse(R"(graph(%x: f32[4], %y: f32[4]) {
    %s: f32[4] = aten.add.Tensor(%x, %y)
    %u: f32[2], %v: f32[2] = aten.split.Tensor(%s, 2)
    %m: f32[], %i: i64[] = aten.max.dim(%x, 0)
    return (%u, %v, %m, %i)
  })");
  EXPECT_EQ(a.values("u"), (Set{0, 1}));
  EXPECT_EQ(a.values("v"), (Set{0, 1}));
  EXPECT_EQ(a.values("i"), (Set{0}));
}

TEST(Dependencies, MoreThanSixtyFourInputsWork) {
  std::string text = "graph(";
  for (int i = 0; i < 100; ++i) text += "%x" + std::to_string(i) + ": f32[1], ";
  text += ") { %a: f32[1] = aten.add.Tensor(%x3, %x99) return (%a) }";
  EXPECT_EQ(analyse(text.c_str()).values("a"), (Set{3, 99}));
}

TEST(Dependencies, AnUnknownSymbolIsNamed) {
  auto graph = parse_graph(R"(graph(%x: f32[s0]) {
    %r: f32[s7] = aten.relu.default(%x)
    return (%r)
  })");
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(analyse_dependencies(*graph).status().message(),
            "'r' has a size with the symbol s7, which no input defines");
}

TEST(Dependencies, ASizeOfContentsDependsOnWhatItsProducerReads) {
  const auto found = analyse(R"(graph(%x: f32[4], %y: f32[9]) {
    %n: i64[u0, 1] = aten.nonzero.default(%x)
    %k: sym(u0) = aten.sym_size.int(%n, 0)
    %s: f32[u0] = aten.slice.Tensor(%y, 0, 0, %k)
    %z: f32[u0, 1] = aten.zeros_like.default(%n)
    %r: f32[9] = aten.relu.default(%y)
    return (%s, %z, %r)
  })");
  EXPECT_EQ(found.values("k"), (Set{0}));
  EXPECT_EQ(found.values("s"), (Set{0, 1}));
  EXPECT_EQ(found.shapes("s"), (Set{0, 1}));
  EXPECT_EQ(found.values("z"), (Set{0}));
  EXPECT_EQ(found.values("r"), (Set{1}));
}

TEST(Dependencies, AnExpressionOfOneSymbolDefinesIt) {
  const auto found = analyse(R"(graph(%x: f32[4*h, 2], %y: f32[3]) {
    %k: sym(h) = aten.sym_size.int(%x, 0)
    %z: f32[h] = aten.new_zeros.default(%y, [%k])
    return (%z)
  })");
  EXPECT_EQ(found.values("z"), (Set{}));
  EXPECT_EQ(found.shapes("z"), (Set{0, 1}));
}

TEST(Dependencies, ResultsOfABranchDependOnItsConditionAndOperands) {
  const auto found = analyse(R"(graph(%p: bool[], %x: f32[4], %y: f32[4]) {
    %c: f32[4] = higher_order.cond(%p,
      {graph(%a: f32[4]) { %r: f32[4] = aten.relu.default(%a) return (%r) }},
      {graph(%a: f32[4]) { %r: f32[4] = aten.neg.default(%a) return (%r) }}, [%x])
    %s: f32[4] = aten.neg.default(%y)
    return (%c, %s)
  })");
  EXPECT_EQ(found.values("c"), (Set{0, 1}));
  EXPECT_EQ(found.values("s"), (Set{2}));
}

}  // namespace
}  // namespace changeaware
