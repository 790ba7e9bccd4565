#include "analysis/cost.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

TEST(Cost, CountsTheMultiplyAddsOfContractions) {
  auto g = parse_graph(R"(graph(%x: f32[2, 3, 8, 8], %t: f32[5, 16]) {
    %w = constant f32[4, 3, 3, 3] "conv"
    %l = constant f32[32, 16] "linear"
    %c: f32[2, 4, 6, 6] = aten.conv2d.default(%x, %w)
    %p: f32[5, 32] = aten.linear.default(%t, %l)
    %r: f32[5, 32] = aten.relu.default(%p)
    return (%c, %r)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  EXPECT_EQ(estimate_cost(*g, g->node(0)).flops, 2.0 * 2 * 4 * 6 * 6 * 27);
  EXPECT_EQ(estimate_cost(*g, g->node(1)).flops, 2.0 * 5 * 32 * 16);
  EXPECT_EQ(estimate_cost(*g, g->node(2)).flops, 160.0);
  EXPECT_EQ(estimate_cost(*g, g->node(2)).moved_bytes, 2 * 160.0 * 4);
}

TEST(Cost, ARecurrentNetworkMeetsItsWeightsAtEveryStep) {
  auto g = parse_graph(R"(graph(%x: f32[2, 5, 8], %h: f32[1, 2, 16]) {
    %wi = constant f32[48, 8] "wi"
    %wh = constant f32[48, 16] "wh"
    %y: f32[2, 5, 16], %n: f32[1, 2, 16] = aten.gru.input(%x, %h, [%wi, %wh], False, 1, 0.0, False, False, True)
    return (%y)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  EXPECT_EQ(estimate_cost(*g, g->node(0)).flops, 2.0 * (48 * 8 + 48 * 16) * 2 * 5);
}

TEST(Cost, AnEinsumOfMatricesCountsLikeTheirProduct) {
  auto g = parse_graph(R"(graph(%a: f32[8, 4], %b: f32[4, 2]) {
    %c: f32[8, 2] = aten.einsum.default("ik,kj->ij", [%a, %b])
    return (%c)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  EXPECT_DOUBLE_EQ(estimate_cost(*g, g->node(0)).flops, 2.0 * 8 * 4 * 2);
}

TEST(Cost, AnEmbeddingDoesNotReadItsWholeTable) {
  auto g = parse_graph(R"(graph(%ids: i64[2]) {
    %w = constant f32[1000, 8] "table"
    %e: f32[2, 8] = aten.embedding.default(%w, %ids)
    return (%e)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  EXPECT_LT(estimate_cost(*g, g->node(0)).moved_bytes, 4000.0);
}

}  // namespace
}  // namespace changeaware
