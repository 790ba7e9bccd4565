#include "regions/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "graph/text.h"

namespace changeaware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr CutOptions kEverything = {
    .min_slice_us = 0, .min_saved_bytes = 0, .min_saved_share = 0, .max_cuts = 100, .tolerance = 0};

Graph parse(const char* text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  return std::move(*graph);
}

std::vector<NodeId> all_nodes(const Graph& graph) {
  std::vector<NodeId> out(graph.nodes().size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

CutChain cut(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<double>& us,
             const CutOptions& options = kEverything) {
  auto chain = cut_class(graph, nodes, us, options);
  EXPECT_TRUE(chain.ok()) << chain.status().to_string();
  return std::move(*chain);
}

std::vector<uint64_t> bytes(const CutChain& chain) {
  std::vector<uint64_t> out;
  for (const Cut& c : chain.cuts) out.push_back(c.retained_bytes);
  return out;
}

std::vector<double> times(const CutChain& chain) {
  std::vector<double> out;
  for (const Cut& c : chain.cuts) out.push_back(c.recompute_us);
  return out;
}

// Encoder, projection of 4 times the bytes, and a decoder of another class that reads it.
constexpr const char* kProjected = R"(graph(%x: f32[100], %y: f32[400]) {
  %e: f32[100] = aten.relu.default(%x)
  %p: f32[400] = aten.cat.default([%e, %e, %e, %e])
  %d: f32[400] = aten.add.Tensor(%p, %y)
  return (%d)
})";

TEST(Cuts, AThinnerValueBeforeACheapNodeIsACut) {
  const Graph g = parse(kProjected);
  const CutChain chain = cut(g, {0, 1}, {1000, 50, 7});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 400, 1600));
  EXPECT_THAT(times(chain), ElementsAre(1050, 50, 0));
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0, 1));
  EXPECT_THAT(chain.cuts[1].retained, ElementsAre(g.find_value("e")));
  EXPECT_THAT(chain.cuts[2].retained, ElementsAre(g.find_value("p")));
  EXPECT_TRUE(chain.cuts[0].retained.empty());
}

TEST(Cuts, AClassWithOneNodeHasTheTwoEnds) {
  const Graph g = parse(kProjected);
  const CutChain chain = cut(g, {2}, {1000, 50, 7});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 1600));
  EXPECT_THAT(times(chain), ElementsAre(7, 0));
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0));
}

TEST(Cuts, NoInnerCutIsFoundWhereTheFrontierIsThinnest) {
  const Graph g = parse(R"(graph(%x: f32[100]) {
    %a: f32[200] = aten.cat.default([%x, %x])
    %b: f32[200] = aten.relu.default(%a)
    %c: f32[] = aten.sum.default(%b)
    return (%c)
  })");
  const CutChain chain = cut(g, all_nodes(g), {10, 10, 10});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 4));
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0, 0, 0));
  EXPECT_TRUE(chain.rejected.empty());
}

TEST(Cuts, OfEqualCostTheLargestIsTaken) {
  const Graph g = parse(R"(graph(%x: f32[100], %y: f32[100]) {
    %a: f32[10] = aten.slice.Tensor(%x, 0, 0, 10)
    %b: f32[10] = aten.relu.default(%a)
    %v: f32[10] = aten.permute.default(%b, [0])
    %w: f32[100] = aten.cat.default([%v, %v, %v, %v, %v, %v, %v, %v, %v, %v])
    %d: f32[100] = aten.add.Tensor(%w, %y)
    return (%d)
  })");
  // %b and %v have as many bytes and %v takes no time: %v is as late as it gets.
  const CutChain chain = cut(g, {0, 1, 2, 3}, {5, 5, 0, 1, 1});
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(chain.cuts[1].retained, ElementsAre(g.find_value("v")));
}

TEST(Cuts, AnExpandedViewIsRecomputedFromItsBase) {
  const Graph g = parse(R"(graph(%x: f32[1, 10], %y: f32[50, 10]) {
    %a: f32[1, 10] = aten.relu.default(%x)
    %v: f32[50, 10] = aten.expand.default(%a, [50, 10])
    %d: f32[50, 10] = aten.add.Tensor(%v, %y)
    return (%d)
  })");
  const CutChain chain = cut(g, {0, 1}, {100, 0, 1});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 40, 2000));
  EXPECT_THAT(times(chain), ElementsAre(100, 0, 0)) << "the thin cut saves as much as the whole";
}

TEST(Cuts, AValueCountsOnceHoweverManyReadIt) {
  const Graph g = parse(R"(graph(%x: f32[10], %y: f32[10]) {
    %a: f32[10] = aten.relu.default(%x)
    %b: f32[10] = aten.relu.default(%a)
    %c: f32[10] = aten.sin.default(%a)
    %d: f32[10] = aten.add.Tensor(%b, %y)
    %e: f32[10] = aten.add.Tensor(%c, %y)
    return (%d, %e)
  })");
  const CutChain chain = cut(g, {0, 1, 2}, {10, 1, 1, 1, 1});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 40, 80));
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0, 1, 1));
}

TEST(Cuts, ResultsOfTheProgramAreReadOutsideAndAssertionsRetainNothing) {
  const Graph g = parse(R"(graph(%x: f32[10]) {
    %a: f32[10] = aten.relu.default(%x)
    %ok: bool[] = aten.all.default(%a)
    %b: f32[10] = aten.sin.default(%a)
    assert %ok "all"
    return (%b)
  })");
  const CutChain chain = cut(g, all_nodes(g), {10, 10, 10});
  EXPECT_EQ(chain.cuts.back().retained_bytes, 40u);
  EXPECT_THAT(chain.cuts.back().retained, ElementsAre(g.find_value("b")));
}

TEST(Cuts, ASymbolicNumberCountsEightBytes) {
  const Graph g = parse(R"(graph(%x: f32[s0], %y: f32[1]) {
    %r: f32[s0] = aten.relu.default(%x)
    %n: sym(s0) = aten.sym_size.int(%r, 0)
    %d: f32[s0] = aten.expand.default(%y, [%n])
    return (%d)
  })");
  EXPECT_THAT(bytes(cut(g, {0, 1}, {10, 10, 10})), ElementsAre(0, 8));
}

TEST(Cuts, AResultThatNobodyNamedOrReadsCostsNothing) {
  const Graph g = parse(R"(graph(%x: f32[10]) {
    %m: f32[], %i: i64[] = aten.max.dim(%x, 0)
    return (%m)
  })");
  EXPECT_THAT(bytes(cut(g, {0}, {10})), ElementsAre(0, 4));
}

// Values of 400, 800, 1200 and 1600 bytes, each with its node's time.
constexpr const char* kGrowing = R"(graph(%x: f32[100], %y: f32[400]) {
  %a: f32[100] = aten.relu.default(%x)
  %b: f32[200] = aten.cat.default([%a, %a])
  %c: f32[300] = aten.cat.default([%b, %x])
  %d: f32[400] = aten.cat.default([%c, %x])
  %r: f32[400] = aten.add.Tensor(%d, %y)
  return (%r)
})";

TEST(Cuts, AShortSliceIsTurnedDownWithItsReason) {
  const Graph g = parse(kGrowing);
  const CutChain chain =
      cut(g, {0, 1, 2, 3}, {1000, 10, 5, 2, 1},
          {.min_slice_us = 12, .min_saved_bytes = 0, .min_saved_share = 0, .max_cuts = 9});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 400, 1200, 1600));
  EXPECT_THAT(chain.slice_of_node, ElementsAre(0, 1, 1, 2));
  ASSERT_EQ(chain.rejected.size(), 1u);
  EXPECT_EQ(chain.rejected[0].retained_bytes, 800u);
  EXPECT_EQ(chain.rejected[0].recompute_us, 7);
  EXPECT_EQ(chain.rejected[0].reason,
            "saves 10.0 us over the next thinner cut, less than the 12 us of a call");
}

TEST(Cuts, ASmallSavingIsTurnedDownWithItsReason) {
  const Graph g = parse(kGrowing);
  const CutChain chain =
      cut(g, {0, 1, 2, 3}, {1000, 100, 50, 25, 1},
          {.min_slice_us = 0, .min_saved_bytes = 500, .min_saved_share = 0, .max_cuts = 9});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 800, 1600));
  ASSERT_EQ(chain.rejected.size(), 2u);
  EXPECT_EQ(chain.rejected[0].retained_bytes, 400u);
  EXPECT_EQ(chain.rejected[0].reason,
            "saves 400 bytes against the next thicker cut, fewer than 500");
  EXPECT_EQ(chain.rejected[1].retained_bytes, 1200u);
}

TEST(Cuts, OfTooManyTheOnesThatTradeBestStay) {
  const Graph g = parse(kGrowing);
  const CutChain chain =
      cut(g, {0, 1, 2, 3}, {1000, 100, 50, 25, 1},
          {.min_slice_us = 0, .min_saved_bytes = 0, .min_saved_share = 0, .max_cuts = 2});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 400, 1600));
  ASSERT_EQ(chain.rejected.size(), 2u);
  EXPECT_EQ(chain.rejected[1].reason, "others of the 2 cuts kept per class trade better");
}

TEST(Cuts, TheEndsStayWhateverTheOptionsSay) {
  const Graph g = parse(kGrowing);
  const CutChain chain = cut(g, {0, 1, 2, 3}, {1, 1, 1, 1, 1},
                             {.min_slice_us = 1e9, .min_saved_bytes = 1u << 30, .max_cuts = 1});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 1600));
}

TEST(Cuts, TimesFromANanosecondToAQuarterOfAnHourStayApart) {
  const Graph g = parse(kGrowing);
  const CutChain chain = cut(g, {0, 1, 2, 3}, {1e9, 1e6, 1, 1e-3, 1});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 400, 800, 1200, 1600));
  EXPECT_NEAR(chain.cuts[3].recompute_us, 1e-3, 1e-6);
  EXPECT_NEAR(chain.cuts[0].recompute_us, 1e9 + 1e6 + 1, 1e-2);
}

TEST(Cuts, TimesBeyondTheRangeOfTicksAreRoundedNotWrong) {
  const Graph g = parse(kGrowing);
  const CutChain chain = cut(g, {0, 1, 2, 3}, {1e20, 1e19, 1e18, 1e17, 1});
  EXPECT_THAT(bytes(chain), ElementsAre(0, 400, 800, 1200, 1600));
  EXPECT_NEAR(chain.cuts[3].recompute_us, 1e17, 1e3);
}

TEST(Cuts, MistakesOfTheCallerAreNamed) {
  const Graph g = parse(kProjected);
  const std::vector<double> us = {1, 1, 1};
  const auto message = [&](std::vector<NodeId> nodes, std::vector<double> node_us,
                           const CutOptions& options = {}) {
    const auto chain = cut_class(g, nodes, node_us, options);
    EXPECT_FALSE(chain.ok());
    EXPECT_EQ(chain.status().code(), StatusCode::kInvalidArgument);
    return chain.status().message();
  };
  EXPECT_THAT(message({}, us), HasSubstr("without nodes"));
  EXPECT_THAT(message({7}, us), HasSubstr("no node 7"));
  EXPECT_THAT(message({1, 0}, us), HasSubstr("'" + g.node(0).name + "'"));
  EXPECT_THAT(message({0}, {1}), HasSubstr("1 node times for a graph of 3 nodes"));
  EXPECT_THAT(message({1}, {1, -1, 1}), HasSubstr("'" + g.node(1).name + "' cannot take -1 us"));
  EXPECT_THAT(message({1}, {1, std::numeric_limits<double>::quiet_NaN(), 1}), HasSubstr("nan"));
  EXPECT_THAT(message({0}, us, {.max_cuts = 0}), HasSubstr("max_cuts"));
  EXPECT_THAT(message({0}, us, {.min_slice_us = -1}), HasSubstr("min_slice_us"));
  EXPECT_THAT(message({0}, us, {.tolerance = 1}), HasSubstr("tolerance"));
}

TEST(Cuts, MoreBytesThanCanBeComparedExactlyAreRefusedByName) {
  const Graph g = parse(R"(graph(%x: f32[1000000000, 1000000000]) {
    %huge: f32[1000000000, 1000000000] = aten.relu.default(%x)
    return (%huge)
  })");
  const auto chain = cut_class(g, all_nodes(g), std::vector<double>{1}, {});
  ASSERT_FALSE(chain.ok());
  EXPECT_THAT(chain.status().message(), HasSubstr("'huge'"));
}

}  // namespace
}  // namespace changeaware
