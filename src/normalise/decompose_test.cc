#include "normalise/decompositions/decompositions.h"
#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string decomposed(const std::string& statements) {
  return run_pass(decompose,
                  "graph(%x: f32[2, 3], %y: f32[2, 3], %d: f32[s0, 3], %i: i64[2, 3]) {\n" +
                      statements + "\n return (%r) }");
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("  " + line + "\n"), std::string::npos) << text;
}

TEST(Decompose, EveryEntryNamesOperatorsOfTheTable) {
  for (const Rename& rename : renames()) {
    EXPECT_NE(find_op(rename.from), nullptr) << rename.from;
    EXPECT_NE(find_op(rename.to), nullptr) << rename.to;
  }
  for (const auto& family : decomposition_families()) {
    for (const Decomposition& entry : family) EXPECT_NE(find_op(entry.name), nullptr) << entry.name;
  }
}

TEST(Decompose, EveryRenamePassesOrIgnoresEveryArgument) {
  for (const Rename& rename : renames()) {
    const OpSchema* from = find_op(rename.from);
    const OpSchema* to = find_op(rename.to);
    ASSERT_TRUE(from != nullptr && to != nullptr);
    for (const ArgSchema& a : from->args) {
      std::string_view name = a.name;
      for (const auto& pair : rename.pairs) {
        if (pair.from == a.name) name = pair.to;
      }
      bool known = to->arg_index(name) >= 0;
      for (std::string_view ignored : rename.ignored) known = known || ignored == a.name;
      EXPECT_TRUE(known) << rename.from << " argument " << a.name;
    }
  }
}

TEST(Decompose, CoreAtenNormalisationBecomesTheComposite) {
  expect_line(decomposed("%r: f32[2, 3], %m: f32[2, 1], %s: f32[2, 1] = "
                         "aten.native_layer_norm.default(%x, [3], None, None, 1e-05)"),
              "%r: f32[2, 3] = aten.layer_norm.default(%x, [3])");
  expect_line(decomposed("%r: f32[2, 3], %m: f32[2, 1], %s: f32[2, 1] = "
                         "aten.native_group_norm.default(%x, None, None, 2, 3, 1, 1, 1e-05)"),
              "%r: f32[2, 3] = aten.group_norm.default(%x, 1)");
  expect_line(
      decomposed(
          "%r: f32[2, 3], _, _ = "
          "aten._native_batch_norm_legit_no_training.default(%x, None, None, %y, %y, 0.1, 0.5)"),
      "%r: f32[2, 3] = aten.batch_norm.default(%x, None, None, %y, %y, False, 0.1, 0.5, False)");
}

TEST(Decompose, ACallWhoseStatisticIsReadStaysAsItIs) {
  const std::string text = run_pass(decompose, R"(graph(%x: f32[2, 3]) {
    %r: f32[2, 3], %m: f32[2, 1], %s: f32[2, 1] =
      aten.native_layer_norm.default(%x, [3], None, None, 1e-05)
    return (%m)
  })");
  EXPECT_NE(text.find("aten.native_layer_norm.default(%x, [3], None, None, 1e-05)"),
            std::string::npos)
      << text;
}

TEST(Decompose, TheStatisticsOfBatchNormalisationAreEmptyInEvaluationMode) {
  const std::string text = run_pass(decompose, R"(graph(%x: f32[2, 3], %w: f32[3]) {
    %r: f32[2, 3], _, %s: f32[0] =
      aten.native_batch_norm.default(%x, None, None, %w, %w, False, 0.1, 1e-05)
    return (%r, %s)
  })");
  expect_line(text, "%r_full: f32[0] = aten.full.default([0], 0.0, dtype=f32)");
  expect_line(text, "return (%r, %r_full)");
}

TEST(Decompose, ACallWithAnArgumentWithoutAPlaceStaysAsItIs) {
  expect_line(decomposed("%r: f32[2, 3] = aten._softmax.default(%x, 1, True)"),
              "%r: f32[2, 3] = aten._softmax.default(%x, 1, True)");
  expect_line(decomposed("%r: f32[2, 3] = aten._softmax.default(%x, 1, False)"),
              "%r: f32[2, 3] = aten.softmax.int(%x, 1)");
}

TEST(Decompose, ACallThatNoEntryCoversStaysAsItIs) {
  expect_line(decomposed("%r: f32[2, 2] = aten.as_strided.default(%x, [2, 2], [3, 2], 1)"),
              "%r: f32[2, 2] = aten.as_strided.default(%x, [2, 2], [3, 2], 1)");
  expect_line(decomposed("%r: f32[2, 3] = aten._to_copy.default(%x, device=device(\"cuda\"))"),
              "%r: f32[2, 3] = aten._to_copy.default(%x, device=device(\"cuda\"))");
}

TEST(Decompose, TensorsOfOneValueReadNoTensor) {
  expect_line(decomposed("%r: f32[2, 3] = aten.zeros_like.default(%x)"),
              "%r: f32[2, 3] = aten.full.default([2, 3], 0, dtype=f32)");
  expect_line(decomposed("%r: i64[5] = aten.new_ones.default(%x, [5], dtype=i64)"),
              "%r: i64[5] = aten.full.default([5], 1, dtype=i64)");
  expect_line(decomposed("%r: f32[5] = aten.empty.memory_format([5])"),
              "%r: f32[5] = aten.full.default([5], 0, dtype=f32)");
  const std::string dynamic = decomposed("%r: f32[s0, 3] = aten.full_like.default(%d, 2.5)");
  expect_line(dynamic, "%sym_size: sym(s0) = aten.sym_size.int(%d, 0)");
  expect_line(dynamic, "%r: f32[s0, 3] = aten.full.default([%sym_size, 3], 2.5, dtype=f32)");
}

TEST(Decompose, ConversionsKeepOnlyTheDtype) {
  expect_line(decomposed("%r: f64[2, 3] = aten._to_copy.default(%x, dtype=f64)"),
              "%r: f64[2, 3] = aten.to.dtype(%x, f64)");
  expect_line(decomposed("%r: f32[2, 3] = aten.type_as.default(%i, %x)"),
              "%r: f32[2, 3] = aten.to.dtype(%i, f32)");
}

TEST(Decompose, ShapesOfOtherTensorsBecomeNumbers) {
  expect_line(decomposed("%r: f32[2, 3] = aten.view_as.default(%x, %y)"),
              "%r: f32[2, 3] = aten.reshape.default(%x, [2, 3])");
  expect_line(decomposed("%r: f32[s0, 3] = aten.expand_as.default(%d, %d)"),
              "%r: f32[s0, 3] = aten.expand.default(%d, [%sym_size, 3])");
}

TEST(Decompose, AsStridedPicksElements) {
  const std::string text =
      decomposed("%r: f32[2, 2] = aten.as_strided.default(%x, [2, 2], [2, 1], 1)");
  expect_line(text, "%r_places = constant i64[2, 2] {1, 2, 3, 4}");
  expect_line(text, "%r_reshape: f32[6] = aten.reshape.default(%x, [-1])");
  expect_line(text, "%r: f32[2, 2] = aten.index.Tensor(%r_reshape, [%r_places])");
}

TEST(Decompose, TruncationRoundsTowardZeroByTwoRoundings) {
  const std::string text = decomposed("%r: f32[2, 3] = aten.trunc.default(%x)");
  expect_line(text, "%r_lt: bool[2, 3] = aten.lt.Scalar(%x, 0)");
  expect_line(text, "%r_where: f32[2, 3] = aten.where.self(%r_lt, %r_ceil, %r_floor)");
  expect_line(text, "return (%r_where)");
}

TEST(Decompose, AddcdivFollowsItsFormula) {
  const std::string text = decomposed("%r: f32[2, 3] = aten.addcdiv.default(%x, %y, %x, value=2)");
  expect_line(text, "%r_mul: f32[2, 3] = aten.mul.Scalar(%y, 2)");
  expect_line(text, "%r_div: f32[2, 3] = aten.div.Tensor(%r_mul, %x)");
  expect_line(text, "%r: f32[2, 3] = aten.add.Tensor(%x, %r_div)");
}

TEST(Decompose, NumbersInWhereTakeTheDtypeOfTheResult) {
  const std::string text = decomposed(
      "%c: bool[2, 3] = aten.gt.Scalar(%x, 0)\n %r: f32[2, 3] = aten.where.ScalarOther(%c, %i, "
      "1.5)");
  expect_line(text, "%r_to: f32[2, 3] = aten.to.dtype(%i, f32)");
  expect_line(text, "%r_full: f32[] = aten.full.default([], 1.5, dtype=f32)");
  expect_line(text, "%r: f32[2, 3] = aten.where.self(%c, %r_to, %r_full)");
}

TEST(Decompose, AnEmptyListOfDimensionsMeansAll) {
  expect_line(decomposed("%r: f32[] = aten.sum.dim_IntList(%x, [])"),
              "%r: f32[] = aten.sum.dim_IntList(%x, [0, 1])");
  expect_line(decomposed("%r: f32[2] = aten.mean.dim(%x, [1])"),
              "%r: f32[2] = aten.mean.dim(%x, [1])");
}

TEST(Decompose, StacksAreConcatenationsOfWhatFits) {
  const std::string text = run_pass(decompose, R"(graph(%a: f32[3], %b: f32[3]) {
    %r: f32[2, 3] = aten.vstack.default([%a, %b])
    return (%r)
  })");
  expect_line(text, "%r_unsqueeze: f32[1, 3] = aten.unsqueeze.default(%a, 0)");
  expect_line(text, "%r: f32[2, 3] = aten.cat.default([%r_unsqueeze, %r_unsqueeze_1])");
}

}  // namespace
}  // namespace changeaware
