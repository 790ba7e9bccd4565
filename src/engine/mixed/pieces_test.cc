// Which pieces a region is cut into.
#include "engine/mixed/pieces.h"

#include <gmock/gmock.h>

#include <random>

#include "engine/mixed/test_support.h"
#include "graph/text.h"

namespace changeaware::mixed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kFast = PieceKind::kFast;
constexpr auto kExact = PieceKind::kExact;
constexpr auto kControl = PieceKind::kControlFlow;

TEST(Pieces, WithoutExactNodesThereIsOne) {
  EXPECT_THAT(split_into_pieces(graph_of("graph(%x: f32[2]) { return (%x) }")), IsEmpty());
  const Graph graph = graph_of(R"(graph(%x: f32[2]) {
    %a: f32[2] = aten.relu.default(%x)
    %b: f32[2] = aten.mul.Tensor(%a, 2)
    return (%b)
  })");
  EXPECT_THAT(split_into_pieces(graph), ElementsAre(Piece{kFast, {0, 1}}));
}

TEST(Pieces, AChainHasAPieceForEachChangeOfEngine) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string text = "graph(%v0: f32[2]) {\n";
    std::vector<std::string> exact;
    size_t changes = 0;
    bool last = false;
    constexpr int kNodes = 20;
    for (int i = 1; i <= kNodes; ++i) {
      text += "%v" + std::to_string(i) + ": f32[2] = aten.relu.default(%v" + std::to_string(i - 1) +
              ")\n";
      const bool is_exact = random() % 2 == 0;
      if (is_exact) exact.push_back("v" + std::to_string(i));
      changes += i == 1 || is_exact != last ? 1 : 0;
      last = is_exact;
    }
    text += "return (%v20)\n}";
    EXPECT_EQ(split_into_pieces(graph_of(text, exact)).size(), changes) << text;
  }
}

TEST(Pieces, WhatIsIndependentIsGatheredWhicheverEngineComesFirst) {
  const char* text = R"(graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
    %a: f32[2] = aten.relu.default(%x)
    %b: f32[2] = aten.neg.default(%a)
    %c: f32[2] = aten.relu.default(%y)
    %d: f32[2] = aten.neg.default(%c)
    %e: f32[2] = aten.relu.default(%z)
    return (%b, %d, %e)
  })";
  EXPECT_THAT(split_into_pieces(graph_of(text, {"b", "d"})),
              ElementsAre(Piece{kFast, {0, 2, 4}}, Piece{kExact, {1, 3}}));
  EXPECT_THAT(split_into_pieces(graph_of(text, {"a", "c"})),
              ElementsAre(Piece{kExact, {0, 2}}, Piece{kFast, {1, 3, 4}}));
}

TEST(Pieces, ReckoningWithSizesChangesNoEngine) {
  const Graph graph = graph_of(R"(graph(%x: f32[s0, 4]) {
    %a: f32[s0, 4] = aten.relu.default(%x)
    %n: sym = aten.sym_size.int(%a, 0)
    %m: sym = _operator.mul(%n, 4)
    %b: f32[4*s0] = aten.view.default(%a, [%m])
    return (%b)
  })",
                               {"a", "b"});
  EXPECT_THAT(split_into_pieces(graph), ElementsAre(Piece{kExact, {0, 1, 2, 3}}));
}

TEST(Pieces, ControlFlowStandsAlone) {
  Graph graph = graph_of(R"(graph(%p: bool[], %x: f32[2]) {
    %a: f32[2] = aten.relu.default(%x)
    return (%a)
  })");
  add_control_flow(graph, cond_schema(),
                   {ValueRef{graph.find_value("p")}, nested("graph(%x: f32[2]) { return (%x) }"),
                    nested("graph(%x: f32[2]) { return (%x) }"), values(graph, {"a"})},
                   {tensor_value("c", DType::kFloat32, {2})});
  EXPECT_TRUE(is_control_flow(graph.node(1)));
  EXPECT_THAT(split_into_pieces(graph), ElementsAre(Piece{kFast, {0}}, Piece{kControl, {1}}));
}

TEST(Pieces, EveryNodeIsInOnePieceAfterWhatItReads) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string text = "graph(%v0: f32[2]) {\n";
    std::vector<std::string> exact;
    for (int i = 1; i < 15; ++i) {
      const std::string a = std::to_string(random() % i), b = std::to_string(random() % i);
      text += "%v" + std::to_string(i) + ": f32[2] = aten.add.Tensor(%v" + a + ", %v" + b + ")\n";
      if (random() % 2 == 0) exact.push_back("v" + std::to_string(i));
    }
    const Graph graph = graph_of(text + "return (%v14)\n}", exact);
    std::vector<int> piece_of(graph.nodes().size(), -1);
    const std::vector<Piece> pieces = split_into_pieces(graph);
    for (size_t p = 0; p < pieces.size(); ++p) {
      for (NodeId id : pieces[p].nodes) {
        EXPECT_EQ(piece_of[id], -1);
        piece_of[id] = static_cast<int>(p);
        EXPECT_EQ(graph.node(id).exact, pieces[p].kind == kExact);
      }
      if (p > 0) {
        EXPECT_NE(pieces[p].kind, pieces[p - 1].kind);
      }
    }
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      ASSERT_GE(piece_of[id], 0);
      for_each_input(graph.node(id), [&](ValueId v) {
        if (v == 0) return;
        EXPECT_LE(piece_of[v - 1], piece_of[id]) << print_graph(graph);
      });
    }
  }
}

}  // namespace
}  // namespace changeaware::mixed
