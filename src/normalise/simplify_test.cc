#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string simplified(const std::string& text) { return run_pass(simplify, text); }

TEST(Simplify, AliasesAndNoOpsAreFolded) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[2, 3]) {
    %a: f32[2, 3] = aten.alias.default(%x)
    %b: f32[2, 3] = aten.detach.default(%a)
    %c: f32[2, 3] = aten.clone.default(%b)
    %d: f32[2, 3] = aten.contiguous.default(%c)
    %e: f32[2, 3] = aten.to.dtype(%d, f32)
    %f: f32[2, 3] = aten.reshape.default(%e, [2, 3])
    %g: f32[2, 3] = aten.slice.Tensor(%f, 0, 0, 9223372036854775807)
    %h: f32[2, 3] = aten.permute.default(%g, [0, -1])
    %i: f32[2, 3] = aten.expand.default(%h, [-1, 3])
    %j: f32[2, 3] = aten.relu.default(%i)
    return (%j, %i)
  })"),
            R"(graph(%x: f32[2, 3]) {
  %j: f32[2, 3] = aten.relu.default(%x)
  return (%j, %x)
}
)");
}

TEST(Simplify, WhatMovesElementsStays) {
  for (const char* call : {"aten.permute.default(%x, [1, 0])", "aten.transpose.int(%x, 0, 1)",
                           "aten.t.default(%x)", "aten.slice.Tensor(%x, step=-1)"}) {
    const std::string text = simplified(std::string("graph(%x: f32[3, 3]) { %y: f32[3, 3] = ") +
                                        call + " return (%y) }");
    EXPECT_NE(text.find(call), std::string::npos) << text;
  }
}

TEST(Simplify, AnOutputMayBeAnInputOrAConstant) {
  const std::string text = simplified(R"(graph(%x: f32[2]) {
    %w = constant f32[2] {1, 2}
    %a: f32[2] = aten.clone.default(%x)
    %b: f32[2] = aten.clone.default(%w)
    return (%a, %b, None, 3)
  })");
  EXPECT_NE(text.find("return (%x, %w, None, 3)"), std::string::npos) << text;
}

// Each layer of a text tower expands its own alias of one mask.
TEST(Simplify, TwelveCopiesOfAMaskBecomeOne) {
  std::string program = "graph(%m: f32[1, 1, 4, 4]) {\n";
  std::string outputs;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    program += "%a" + n + ": f32[1, 1, 4, 4] = aten.alias.default(%m)\n";
    program += "%e" + n + ": f32[2, 1, 4, 4] = aten.expand.default(%a" + n + ", [2, 1, 4, 4])\n";
    outputs += (i == 0 ? "%e" : ", %e") + n;
  }
  const std::string text = simplified(program + "return (" + outputs + ") }");
  EXPECT_EQ(text.find("alias"), std::string::npos) << text;
  EXPECT_EQ(text.find("aten.expand.default"), text.rfind("aten.expand.default")) << text;
  EXPECT_NE(text.find("return (%e0, %e0, %e0"), std::string::npos) << text;
}

TEST(Simplify, EqualNodesMergeAndUnequalNumbersDoNot) {
  const std::string text = simplified(R"(graph(%x: f32[2]) {
    %a: f32[2] = aten.add.Scalar(%x, 1)
    %b: f32[2] = aten.add.Scalar(%x, 1)
    %c: f32[2] = aten.add.Scalar(%x, 1.0)
    %d: f32[2] = aten.add.Scalar(%x, 0.0)
    %e: f32[2] = aten.add.Scalar(%x, -0.0)
    %f: f32[2] = aten.add.Scalar(%x, nan)
    %g: f32[2] = aten.add.Scalar(%x, nan)
    return (%a, %b, %c, %d, %e, %f, %g)
  })");
  EXPECT_NE(text.find("return (%a, %a, %c, %d, %e, %f, %f)"), std::string::npos) << text;
}

TEST(Simplify, AResultThatOnlyTheSecondOfTwoEqualNodesNamesIsKept) {
  const std::string text = simplified(R"(graph(%x: f32[2, 3]) {
    %v: f32[2], _ = aten.max.dim(%x, 1)
    _, %i: i64[2] = aten.max.dim(%x, 1)
    return (%v, %i)
  })");
  EXPECT_NE(text.find("%v: f32[2], %i: i64[2] = aten.max.dim(%x, 1)"), std::string::npos) << text;
}

TEST(Simplify, EqualConstantsMerge) {
  const std::string text = simplified(R"(graph(%x: f32[2]) {
    %v = constant f32[2] {1, 2}
    %w = constant f32[2] {1, 2}
    %u = constant i32[2] {1, 2}
    %z = constant f32[2] {0, 2}
    %n = constant f32[2] {-0, 2}
    return (%v, %w, %u, %z, %n)
  })");
  EXPECT_NE(text.find("return (%v, %v, %u, %z, %n)"), std::string::npos) << text;
  EXPECT_EQ(text.find("%w"), std::string::npos) << text;
}

TEST(Simplify, ViewsOfOneStorageMergeOnlyWhenTheyAreTheSameView) {
  Graph graph = parse_or_die("graph(%x: f32[2]) { return (%x) }");
  const auto storage = Tensor::empty(DType::kFloat32, {64, 64}).storage();
  const auto add = [&](const std::string& name, int64_t offset) {
    Value value;
    value.name = name;
    value.spec.dims = {Dim{32, ""}, Dim{64, ""}};
    const ValueId id = graph.add_value(std::move(value));
    auto view = Tensor::view(DType::kFloat32, {32, 64}, {64, 1}, offset, storage);
    ASSERT_TRUE(view.ok());
    graph.add_constant({id, name, ConstantKind::kParameter, *view});
    graph.add_output(ValueRef{id});
  };
  add("a", 0);
  add("b", 0);
  add("c", 64);
  const std::string text = run_pass(simplify, graph);
  EXPECT_NE(text.find("return (%x, %a, %a, %c)"), std::string::npos) << text;
}

TEST(Simplify, FixedSizesBecomeNumbers) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[4, 6]) {
    %n: sym(4) = aten.sym_size.int(%x, 0)
    %m: sym(6) = aten.sym_size.int(%x, -1)
    %h: sym(3) = _operator.floordiv(%m, 2)
    %t: sym(12) = _operator.mul(%n, %h)
    %r: f32[2, 12] = aten.reshape.default(%x, [2, %t])
    return (%r, %h)
  })"),
            R"(graph(%x: f32[4, 6]) {
  %r: f32[2, 12] = aten.reshape.default(%x, [2, 12])
  return (%r, 3)
}
)");
}

TEST(Simplify, ASymbolIsReadFromAnInputThatHasIt) {
  const std::string text = simplified(R"(graph(%x: f32[s0, 2]) {
    %y: f32[s0, 2] = aten.relu.default(%x)
    %n: sym(s0) = aten.sym_size.int(%y, 0)
    %m: sym(s0) = aten.sym_size.int(%x, 0)
    %z: f32[s0] = aten.full.default([%n], 1)
    %w: f32[s0] = aten.full.default([%m], 1)
    return (%z, %w)
  })");
  EXPECT_NE(text.find("%n: sym(s0) = aten.sym_size.int(%x, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("return (%z, %z)"), std::string::npos) << text;
  EXPECT_EQ(text.find("relu"), std::string::npos) << text;
}

TEST(Simplify, DeadNodesGoAndAssertedOnesStay) {
  const std::string text = simplified(R"(graph(%x: f32[2], %y: f32[2]) {
    %a: f32[2] = aten.sin.default(%x)
    %b: bool[] = aten.all.default(%y)
    assert %b "all of y"
    return (%x)
  })");
  EXPECT_EQ(text.find("sin"), std::string::npos) << text;
  EXPECT_NE(text.find("assert %b \"all of y\""), std::string::npos) << text;
  EXPECT_NE(text.find("%y: f32[2]"), std::string::npos) << text;
}

TEST(Simplify, AScatterOverAllOfItsTargetIsItsSource) {
  const std::string text = simplified(R"(graph(%x: f32[2, 3], %y: f32[2, 3]) {
    %a: f32[2, 3] = aten.slice_scatter.default(%x, %y, 0, 0, 9223372036854775807)
    return (%a)
  })");
  EXPECT_NE(text.find("return (%y)"), std::string::npos) << text;
}

}  // namespace
}  // namespace changeaware
