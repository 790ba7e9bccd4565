#include "analysis/dependencies.h"

#include <gtest/gtest.h>

#include "analysis/symbols.h"
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
    %r: f32[u7] = aten.relu.default(%x)
    return (%r)
  })");
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(analyse_dependencies(*graph).status().message(),
            "'r' has a size with the symbol u7, which no input defines");
}

TEST(Symbols, AreTheNamesThatAreNotFunctions) {
  EXPECT_EQ(symbols_in("2*s0 + Max(1, s1_x)//(s0)"),
            (std::vector<std::string>{"s0", "s1_x", "s0"}));
  EXPECT_TRUE(symbols_in("16").empty());
}

}  // namespace
}  // namespace changeaware
