#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string decided(const Graph& graph) { return run_pass(decide_assertions, graph); }
std::string decided(const std::string& text) { return run_pass(decide_assertions, text); }

std::string metadata(const std::string& rest) {
  return decided("graph(%x: f32[4, s0]) {\n aten._assert_tensor_metadata.default(%x" + rest +
                 ")\n return (%x) }");
}

TEST(Assertions, MetadataThatHoldsIsDischarged) {
  for (const char* rest :
       {"", ", dtype=f32", ", [4, 3]", ", dtype=f32, device=device(\"cpu\"), layout=strided"}) {
    const std::string text = metadata(rest);
    if (std::string(rest) == ", [4, 3]") {
      EXPECT_NE(text.find("\"size 1 of 'x' is not as asserted"), std::string::npos) << text;
    } else {
      EXPECT_EQ(text, "graph(%x: f32[4, s0]) {\n  return (%x)\n}\n") << rest;
    }
  }
}

TEST(Assertions, MetadataThatContradictsIsInvalid) {
  EXPECT_NE(metadata(", dtype=i64").find("InvalidProgram"), std::string::npos);
  EXPECT_NE(metadata(", dtype=i64").find("asserts that 'x' is int64, but it is float32"),
            std::string::npos);
  EXPECT_NE(metadata(", [5, 3]").find("asserts sizes of 'x' that contradict [4, 2]"),
            std::string::npos);
  EXPECT_NE(metadata(", [4]").find("InvalidProgram"), std::string::npos);
  EXPECT_NE(metadata(", device=device(\"cuda\")").find("Unsupported"), std::string::npos);
}

Graph with_scalar(const std::string& statements, const SymbolRange& range) {
  Graph graph = parse_or_die(
      "graph(%x: f32[s0, 2], %y: f32[s0, s1]) {\n %n: sym = aten.sym_size.int(%x, 0)\n" +
      statements + "\n aten._assert_scalar.default(%ok, \"n fits\")\n return (%x) }");
  graph.set_symbol("s0", range);
  return graph;
}

TEST(Assertions, ABoundThatTheSymbolsRangeImpliesIsDischarged) {
  const SymbolRange range{2, 100};
  for (const char* condition :
       {"_operator.ge(%n, 2)", "_operator.le(%n, 100)", "_operator.ne(%n, 0)",
        "_operator.lt(%n, 101)", "_operator.gt(100, 1)"}) {
    const std::string text =
        decided(with_scalar(std::string("%ok: symbool = ") + condition, range));
    EXPECT_EQ(text.find("_assert_scalar"), std::string::npos) << condition << "\n" << text;
    EXPECT_NE(text.find("return (%x)"), std::string::npos) << text;
  }
}

TEST(Assertions, ABoundThatNeverHoldsIsInvalid) {
  const std::string text = decided(with_scalar("%ok: symbool = _operator.gt(%n, 100)", {2, 100}));
  EXPECT_NE(text.find("InvalidProgram"), std::string::npos) << text;
  EXPECT_NE(text.find("\"n fits\", which never holds"), std::string::npos) << text;
}

TEST(Assertions, ABoundThatDependsOnTheInputsIsAssertedAtRunTime) {
  const std::string text = decided(with_scalar("%ok: symbool = _operator.gt(%n, 50)", {2, 100}));
  EXPECT_NE(text.find("%asserted: bool[] = aten.scalar_tensor.default(%ok, dtype=bool)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("assert %asserted \"n fits\""), std::string::npos) << text;
}

TEST(Assertions, SizesOfOneSymbolAreEqual) {
  const std::string text = decided(with_scalar(
      "%m: sym = aten.sym_size.int(%y, 0)\n %ok: symbool = _operator.eq(%n, %m)", {2, 100}));
  EXPECT_EQ(text.find("_assert_scalar"), std::string::npos) << text;
}

TEST(Assertions, BoundsAddUp) {
  const std::string text =
      decided(with_scalar("%m: sym = _operator.add(%n, 5)\n %t: sym = _operator.mul(%m, 2)\n"
                          "%ok: symbool = _operator.ge(%t, 14)",
                          {2, 100}));
  EXPECT_EQ(text.find("_assert_scalar"), std::string::npos) << text;
}

TEST(Assertions, ATrueConstantConditionIsDroppedAndAFalseOneIsInvalid) {
  const auto program = [](const std::string& constant) {
    return decided("graph(%x: f32[1]) { %ok = constant " + constant +
                   " assert %ok \"it holds\" assert %x \"x\" return (%x) }");
  };
  const std::string kept = program("bool[1] {1}");
  EXPECT_EQ(kept.find("it holds"), std::string::npos) << kept;
  EXPECT_NE(kept.find("assert %x \"x\""), std::string::npos) << kept;
  EXPECT_EQ(program("bool[1] {0}"),
            "InvalidProgram: the program asserts \"it holds\", which never holds");
  EXPECT_NE(program("f32[1] {-0}").find("InvalidProgram"), std::string::npos);
}

TEST(Assertions, RangesOfInputSymbolsAreDischarged) {
  Graph graph = parse_or_die(R"(graph(%x: f32[s0]) {
    %n: sym(s0) = aten.sym_size.int(%x, 0)
    aten.sym_constrain_range_for_size.default(%n, min=2, max=9)
    return (%x)
  })");
  EXPECT_EQ(decided(graph).find("sym_constrain_range"), std::string::npos) << decided(graph);
}

TEST(Assertions, WhatTheFileSaysOfSizesOfContentsDecidesNothing) {
  // Exporting torch._check(n == x.shape[0]) gives both one symbol.
  const std::string text = decided(parse_or_die(R"(graph(%x: f32[s0], %m: i64[]) {
    %n: sym(s0) = aten.item.default(%m)
    %k: sym(s0) = aten.sym_size.int(%x, 0)
    %ok: symbool = _operator.eq(%n, %k)
    aten._assert_scalar.default(%ok, "as many as rows")
    aten.sym_constrain_range.default(%n, min=1, max=9)
    return (%x)
  })"));
  EXPECT_NE(text.find("\"as many as rows\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"'n' is less than 1\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"'n' is more than 9\""), std::string::npos) << text;
}

TEST(Assertions, ASelectionHasAtMostOneRowForEachElement) {
  const std::string text = decided(parse_or_die(R"(graph(%x: f32[3, 4]) {
    %n: i64[u0, 2] = aten.nonzero.default(%x)
    %k: sym(u0) = aten.sym_size.int(%n, 0)
    %low: symbool = _operator.ge(%k, 0)
    aten._assert_scalar.default(%low, "not negative")
    %high: symbool = _operator.le(%k, 12)
    aten._assert_scalar.default(%high, "at most all")
    %few: symbool = _operator.le(%k, 11)
    aten._assert_scalar.default(%few, "not all")
    return (%n)
  })"));
  EXPECT_EQ(text.find("not negative"), std::string::npos) << text;
  EXPECT_EQ(text.find("at most all"), std::string::npos) << text;
  EXPECT_NE(text.find("\"not all\""), std::string::npos) << text;
}

}  // namespace
}  // namespace changeaware
