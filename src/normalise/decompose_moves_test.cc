// Decompositions that move elements, or that need several steps.
#include "normalise/decompositions/decompositions.h"
#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string decomposed(const std::string& statements, const std::string& outputs = "%r") {
  return run_pass(
      decompose,
      "graph(%x: f32[2, 3], %v: f32[3], %i: i64[2], %b: bool[2, 3], %d: f32[s0, 3]) {\n" +
          statements + "\n return (" + outputs + ") }");
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("  " + line + "\n"), std::string::npos) << text;
}

TEST(DecomposeMoves, ADiagonalMatrixPicksElementsAndAZero) {
  const std::string text = decomposed("%r: f32[3, 3] = aten.diag_embed.default(%v)");
  expect_line(text, "%r_places = constant i64[9] {0, 3, 3, 3, 1, 3, 3, 3, 2}");
  expect_line(text, "%r_full: f32[1] = aten.full.default([1], 0, dtype=f32)");
  expect_line(text, "%r_index_select: f32[9] = aten.index_select.default(%r_cat, 0, %r_places)");
}

TEST(DecomposeMoves, WhatHasSymbolicSizesStaysAsItIs) {
  expect_line(decomposed("%r: f32[s0, 3, 3] = aten.diag_embed.default(%d)"),
              "%r: f32[s0, 3, 3] = aten.diag_embed.default(%d)");
}

TEST(DecomposeMoves, IndicesMayCountFromTheEnd) {
  const std::string text = decomposed("%r: f32[2] = aten.take.default(%x, %i)");
  expect_line(text, "%r_add: i64[2] = aten.add.Scalar(%i, 6)");
  expect_line(text, "%r_where: i64[2] = aten.where.self(%r_lt, %r_add, %i)");
  expect_line(text, "%r_reshape: f32[6] = aten.reshape.default(%x, [6])");
  expect_line(text, "%r_index_select: f32[2] = aten.index_select.default(%r_reshape, 0, %r_where)");
}

TEST(DecomposeMoves, PartsOfOddSizesAreLongerAtTheFront) {
  const std::string text =
      decomposed("%p: f32[2, 2], %q: f32[2, 1] = aten.tensor_split.sections(%x, 2, 1)", "%p, %q");
  expect_line(text, "%p_slice: f32[2, 2] = aten.slice.Tensor(%x, 1, 0, 2)");
  expect_line(text, "%p_slice_1: f32[2, 1] = aten.slice.Tensor(%x, 1, 2, 3)");
}

TEST(DecomposeMoves, AResultWithoutElementsReadsNothing) {
  expect_line(decomposed("%e: f32[0, 3] = aten.narrow.default(%x, 0, 0, 0)\n"
                         "%r: f32[0, 3] = aten.lgamma.default(%e)"),
              "%r: f32[0, 3] = aten.full.default([0, 3], 0, dtype=f32)");
}

TEST(DecomposeMoves, ASizeThatTheResultLacksIsLeft) {
  expect_line(decomposed("%r: f32[2, 3] = aten.resize.default(%x, [3, 2])"),
              "%r: f32[2, 3] = aten.resize.default(%x, [3, 2])");
  expect_line(decomposed("%r: f32[3, 2] = aten.resize.default(%x, [3, 2])"),
              "%r_reshape_1: f32[3, 2] = aten.reshape.default(%r_reshape, [3, 2])");
}

TEST(DecomposeMoves, RoundingToDecimalsScalesAndScalesBack) {
  const std::string text = decomposed("%r: f32[2, 3] = aten.round.decimals(%x, decimals=-2)");
  expect_line(text, "%r_div: f32[2, 3] = aten.div.Scalar(%x, 100.0)");
  expect_line(text, "%r_mul: f32[2, 3] = aten.mul.Scalar(%r_round, 100.0)");
}

TEST(DecomposeMoves, ARunningProductDoublesItsReach) {
  const std::string text = decomposed("%r: f32[2, 3] = aten.cumprod.default(%x, 1)");
  expect_line(text, "%r_slice: f32[2, 2] = aten.slice.Tensor(%x, 1, 0, 2)");
  expect_line(text, "%r_slice_1: f32[2, 1] = aten.slice.Tensor(%r_mul, 1, 0, 1)");
  expect_line(text, "return (%r_mul_1)");
}

TEST(DecomposeMoves, TheSignOfABoolIsItself) {
  expect_line(decomposed("%r: bool[2, 3] = aten.sgn.default(%b)"), "return (%b)");
  expect_line(decomposed("%r: bool[2, 3] = aten.sign.default(%b)"), "return (%b)");
}

}  // namespace
}  // namespace changeaware
