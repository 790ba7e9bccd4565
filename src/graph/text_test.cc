#include "graph/text.h"

#include <gtest/gtest.h>

namespace changeaware {
namespace {

constexpr const char* kProgram = R"(graph(%img: f32[1, 3, s0], %ids: i64[4]) {
  %w = constant f32[3] {1, -0, 2.5}
  %big = constant f32[8, 8] "tower.weight"
  %a: f32[1, 3, s0] = aten.add.Tensor(%img, %img, alpha=2.5)
  %n: sym(s0) = aten.sym_size.int(%img, 2)
  %m: f32[1, 3], %i: i64[1, 3] = aten.max.dim(%a, 2)
  %u: f32[1, 1], %v: f32[1, 1], _ = aten.split.Tensor(%m, 1, 1)
  %c: f32[1, 2] = aten.cat.default([%u, %v], 1)
  %z: f32[s0, 2] = aten.full.default([%n, 2], 1.0, dtype=f32)
  %p: f32[1, 3] = aten.sum.dim_IntList(%a, [2], dtype=f64)
  %g: f32[1, 3] = aten.gelu.default(%m, approximate="tanh")
  %t: bool[1] = aten.ge.Scalar(%u, 0)
  assert %t "u is \"small\""
  return (%c, %img, %w, None, 3, %c, True)
}
)";

TEST(Text, WhatPrintsParsesToTheSameText) {
  auto graph = parse_graph(kProgram);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  EXPECT_EQ(print_graph(*graph), kProgram);
}

TEST(Text, ArgumentsAreCompleteAndInSchemaOrder) {
  auto graph = parse_graph(kProgram);
  ASSERT_TRUE(graph.ok());
  const Node& add = graph->node(0);
  ASSERT_EQ(add.args.size(), 3u);
  EXPECT_EQ(std::get<double>(add.args[2]), 2.5);
  const Node& max = graph->node(2);
  EXPECT_EQ(std::get<bool>(max.args[2]), false);
  EXPECT_EQ(graph->symbols().count("s0"), 1u);
  EXPECT_EQ(graph->constants()[0].tensor.data_as<float>()[2], 2.5f);
}

TEST(Text, IntegersKeepAllTheirDigits) {
  for (int64_t value : {INT64_MAX, INT64_MIN, (int64_t{1} << 53) + 1, int64_t{-7}}) {
    auto graph = parse_graph("graph(%x: f32[4]) { %y: f32[4] = aten.slice.Tensor(%x, 0, 0, " +
                             std::to_string(value) + ") return (%y) }");
    ASSERT_TRUE(graph.ok()) << graph.status().to_string();
    EXPECT_EQ(std::get<int64_t>(graph->node(0).args[3]), value);
  }
}

TEST(Text, AnErrorNamesTheLine) {
  const auto message = [](const char* text) { return parse_graph(text).status().message(); };
  EXPECT_NE(message("graph(%a: f32[1]) {\n %b: f32[1] = aten.nope.default(%a)\n return (%b)}")
                .find("line 2: unknown operator aten.nope.default"),
            std::string::npos);
  EXPECT_NE(message("graph(%a: f32[1]) {\n\n %b: f32[1] = aten.relu.default(%c)\n return (%b)}")
                .find("line 3: unknown value"),
            std::string::npos);
  EXPECT_NE(message("graph(%a: q8[1]) { return (%a) }").find("expected a dtype"),
            std::string::npos);
  EXPECT_NE(message("graph(%a: f32[1]) { %a: f32[1] = aten.relu.default(%a) return (%a) }")
                .find("defined twice"),
            std::string::npos);
  EXPECT_NE(message("graph(%a: f32[1]) { %b: f32[1] = aten.add.Tensor(%a) return (%b) }")
                .find("missing argument other"),
            std::string::npos);
  EXPECT_FALSE(parse_graph("graph(").ok());
  EXPECT_FALSE(parse_graph("").ok());
}

}  // namespace
}  // namespace changeaware
