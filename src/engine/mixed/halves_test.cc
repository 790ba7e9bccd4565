// Where pieces with many weights are cut in two.
#include "engine/mixed/halves.h"

#include <gmock/gmock.h>

#include "engine/mixed/test_support.h"

namespace changeaware::mixed {
namespace {

using ::testing::ElementsAre;

constexpr auto kFast = PieceKind::kFast;
constexpr uint64_t kAny = 1;

// Four layers of 64 bytes of weights each, with a residual inside the second and third.
constexpr const char* kTower = R"(graph(%x: f32[4]) {
  %w1 = constant f32[4, 4] "w1"
  %w2 = constant f32[4, 4] "w2"
  %w3 = constant f32[4, 4] "w3"
  %w4 = constant f32[4, 4] "w4"
  %a: f32[4] = aten.linear.default(%x, %w1)
  %b: f32[4] = aten.linear.default(%a, %w2)
  %c: f32[4] = aten.add.Tensor(%a, %b)
  %d: f32[4] = aten.linear.default(%c, %w3)
  %e: f32[4] = aten.add.Tensor(%c, %d)
  %f: f32[4] = aten.linear.default(%e, %w4)
  return (%f)
})";

std::vector<Piece> halves_of(const std::string& text, uint64_t least_bytes) {
  const Graph graph = graph_of(text);
  return halve_heavy_pieces(graph, split_into_pieces(graph), least_bytes);
}

TEST(Halves, ATowerIsCutWhereTheBytesAreEvenAndItStaysInOrder) {
  const auto pieces = halves_of(kTower, 256);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(pieces[0], (Piece{kFast, {0, 1}}));
  EXPECT_THAT(pieces[1], (Piece{kFast, {2, 3, 4, 5}}));
}

TEST(Halves, APieceWithFewerBytesStaysWhole) {
  EXPECT_THAT(halves_of(kTower, 257), ElementsAre(Piece{kFast, {0, 1, 2, 3, 4, 5}}));
}

TEST(Halves, APlaceThatManyTensorsPassIsNoPlace) {
  EXPECT_EQ(halves_of(R"(graph(%x: f32[4]) {
    %w1 = constant f32[4, 4] "w1"
    %w2 = constant f32[4, 4] "w2"
    %a: f32[4] = aten.linear.default(%x, %w1)
    %b: f32[4] = aten.relu.default(%x)
    %c: f32[4] = aten.neg.default(%x)
    %d: f32[4] = aten.linear.default(%c, %w2)
    %e: f32[4] = aten.add.Tensor(%a, %b)
    %f: f32[4] = aten.add.Tensor(%c, %d)
    %g: f32[4] = aten.add.Tensor(%e, %f)
    return (%g)
  })",
                      kAny)
                .size(),
            2u);  // a and b pass, or c does
  EXPECT_EQ(halves_of(R"(graph(%x: f32[4]) {
    %w1 = constant f32[4, 4] "w1"
    %w2 = constant f32[4, 4] "w2"
    %b: f32[4] = aten.relu.default(%x)
    %c: f32[4] = aten.neg.default(%x)
    %a: f32[4] = aten.linear.default(%x, %w1)
    %d: f32[4] = aten.linear.default(%a, %w2)
    %e: f32[4] = aten.add.Tensor(%a, %b)
    %f: f32[4] = aten.add.Tensor(%c, %d)
    %g: f32[4] = aten.add.Tensor(%e, %f)
    return (%g)
  })",
                      kAny)
                .size(),
            1u);  // a, b and c would pass
}

TEST(Halves, IntegersDoNotPass) {
  EXPECT_EQ(halves_of(R"(graph(%x: i64[4]) {
    %w1 = constant i64[4] {1, 2, 3, 4}
    %w2 = constant i64[4] {4, 3, 2, 1}
    %a: i64[4] = aten.add.Tensor(%x, %w1)
    %b: i64[4] = aten.add.Tensor(%a, %w2)
    return (%b)
  })",
                      kAny)
                .size(),
            1u);
}

TEST(Halves, NeitherHalfHasLessThanAQuarter) {
  EXPECT_EQ(halves_of(R"(graph(%x: f32[4]) {
    %w1 = constant f32[4] "w1"
    %w2 = constant f32[4, 4] "w2"
    %a: f32[4] = aten.mul.Tensor(%x, %w1)
    %b: f32[4] = aten.linear.default(%a, %w2)
    return (%b)
  })",
                      kAny)
                .size(),
            1u);
}

TEST(Halves, ALargeConstantIsOnlyReadOnOneSide) {
  EXPECT_EQ(halves_of(R"(graph(%x: f32[1024]) {
    %w1 = constant f32[1024, 1024] "w1"
    %w2 = constant f32[1024, 1024] "w2"
    %tied = constant f32[1024, 1024] "tied"
    %a: f32[1024] = aten.linear.default(%x, %w1)
    %b: f32[1024] = aten.linear.default(%a, %w2)
    return (%b)
  })",
                      kAny)
                .size(),
            2u);
  EXPECT_EQ(halves_of(R"(graph(%x: f32[1024]) {
    %tied = constant f32[1024, 1025] "tied"
    %w = constant f32[1025, 1024] "w"
    %a: f32[1025] = aten.linear.default(%x, %w)
    %b: f32[1024] = aten.linear.default(%a, %tied)
    %c: f32[1025] = aten.linear.default(%b, %w)
    return (%c)
  })",
                      kAny)
                .size(),
            1u);
}

TEST(Halves, ExactPiecesStayWhole) {
  const Graph graph = graph_of(kTower, {"a", "b", "c", "d", "e", "f"});
  EXPECT_EQ(halve_heavy_pieces(graph, split_into_pieces(graph), kAny).size(), 1u);
}

}  // namespace
}  // namespace changeaware::mixed
