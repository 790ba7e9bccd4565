// The decompositions that are formulas: losses, distances, products, statistics.
#include "normalise/decompositions/decompositions.h"
#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string decomposed(const std::string& statements) {
  return run_pass(decompose,
                  "graph(%x: f32[2, 3], %y: f32[2, 3], %i: i64[2, 3], %t: i64[2], %v: f32[3]) {\n" +
                      statements + "\n return (%r) }");
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("  " + line + "\n"), std::string::npos) << text;
}

TEST(DecomposeFormulas, ALossIsReducedAsItSays) {
  const std::string mean = decomposed("%r: f32[] = aten.mse_loss.default(%x, %y)");
  expect_line(mean, "%r_sub: f32[2, 3] = aten.sub.Tensor(%x, %y)");
  expect_line(mean, "%r_mul: f32[2, 3] = aten.mul.Tensor(%r_sub, %r_sub)");
  expect_line(mean, "%r: f32[] = aten.mean.default(%r_mul)");
  expect_line(decomposed("%r: f32[] = aten.mse_loss.default(%x, %y, 2)"),
              "%r: f32[] = aten.sum.default(%r_mul)");
  expect_line(decomposed("%r: f32[2, 3] = aten.mse_loss.default(%x, %y, 0)"), "return (%r_mul)");
}

TEST(DecomposeFormulas, CrossEntropyPicksTheLogarithmOfTheTarget) {
  const std::string text = decomposed("%r: f32[] = aten.cross_entropy_loss.default(%x, %t)");
  expect_line(text, "%r_log_softmax: f32[2, 3] = aten.log_softmax.int(%x, 1)");
  expect_line(text, "%r_ne: bool[2] = aten.ne.Scalar(%t, -100)");
  expect_line(text, "%r_gather: f32[2, 1] = aten.gather.default(%r_log_softmax, 1, %r_unsqueeze)");
}

TEST(DecomposeFormulas, ATargetWithoutAClassDimensionStaysAsItIs) {
  const std::string call = "%r: f32[] = aten.cross_entropy_loss.default(%x, %v)";
  expect_line(decomposed(call), call);
}

TEST(DecomposeFormulas, DistancesOfIntegersAreSubtractedAsIntegers) {
  const std::string text = decomposed("%r: f32[2] = aten.pairwise_distance.default(%i, %i)");
  expect_line(text, "%r_sub: i64[2, 3] = aten.sub.Tensor(%i, %i)");
  expect_line(text, "%r_to: f32[2, 3] = aten.to.dtype(%r_sub, f32)");
  expect_line(text, "%r_add: f32[2, 3] = aten.add.Scalar(%r_to, 1e-06)");
}

TEST(DecomposeFormulas, TensordotIsOneMatrixProduct) {
  const std::string text = decomposed("%r: f32[2, 2] = aten.tensordot.default(%x, %y, [1], [1])");
  expect_line(text, "%r_permute: f32[3, 2] = aten.permute.default(%y, [1, 0])");
  expect_line(text, "%r_matmul: f32[2, 2] = aten.matmul.default(%x, %r_permute)");
}

TEST(DecomposeFormulas, AFractionOfIntegersStaysAsItIs) {
  const std::string call = "%r: i64[2, 3] = aten.addr.default(%i, %t, %t, beta=1, alpha=0.5)";
  EXPECT_NE(decomposed(call).find("aten.addr.default"), std::string::npos) << decomposed(call);
}

TEST(DecomposeFormulas, TheMedianIsOneOfTheSorted) {
  const std::string text = decomposed("%r: i64[] = aten.median.default(%i)");
  expect_line(text,
              "%r_sort_0: i64[1, 6], %r_sort_1: i64[1, 6] = aten.sort.default(%r_reshape, 1)");
  expect_line(text, "%r_slice: i64[1, 1] = aten.slice.Tensor(%r_sort_0, 1, 2, 3)");
}

TEST(DecomposeFormulas, IndicesOfAMedianOfIntegersStayAsTheyAre) {
  const std::string text = run_pass(decompose, R"(graph(%i: i64[2, 3]) {
    %m: i64[2], %r: i64[2] = aten.median.dim(%i, 1)
    return (%m, %r)
  })");
  EXPECT_NE(text.find("aten.median.dim(%i, 1)"), std::string::npos) << text;
}

TEST(DecomposeFormulas, DifferencesOfBoolsAreInequalities) {
  const std::string text = run_pass(decompose, R"(graph(%b: bool[4]) {
    %r: bool[3] = aten.diff.default(%b)
    return (%r)
  })");
  expect_line(text, "%r_ne: bool[3] = aten.ne.Tensor(%r_slice, %r_slice_1)");
}

TEST(DecomposeFormulas, AGradientMakesOneResultPerDimension) {
  const std::string text = run_pass(decompose, R"(graph(%x: f32[4, 5]) {
    %a: f32[4, 5], %b: f32[4, 5] = aten.gradient.scalarint(%x)
    return (%a, %b)
  })");
  EXPECT_EQ(text.find("aten.gradient"), std::string::npos) << text;
  expect_line(text, "return (%a_cat, %a_cat_1)");
}

}  // namespace
}  // namespace changeaware
