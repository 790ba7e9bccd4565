#include "pt2/sympy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace changeaware {
namespace {

constexpr const char* kS0 = "Symbol('s0', positive=True, integer=True)";

TEST(SympyText, ConstructorFormBecomesInfix) {
  const std::string s0 = kS0;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Integer(7)", "7"},
      {"Integer(-1)", "-1"},
      {s0, "s0"},
      {"Mul(Integer(2), " + s0 + ")", "2*s0"},
      {"Add(Mul(Integer(2), " + s0 + "), Integer(1))", "2*s0 + 1"},
      {"Add(" + s0 + ", Integer(-1))", "s0 - 1"},
      {"Mul(Integer(-1), " + s0 + ")", "-s0"},
      {"Mul(Integer(2), Add(" + s0 + ", Integer(3)))", "2*(s0 + 3)"},
      {"Pow(" + s0 + ", Integer(2))", "s0**2"},
      {"FloorDiv(Add(" + s0 + ", Integer(1)), Integer(2))", "((s0 + 1)//2)"},
      {"Max(Integer(1), " + s0 + ")", "Max(1, s0)"},
      {"GreaterThan(" + s0 + ", Integer(2))", "GreaterThan(s0, 2)"},
      {"Float('0.5', precision=53)", "0.5"},
      {"true", "true"}};
  for (const auto& [srepr, infix] : cases) {
    const auto got = infix_from_srepr(srepr);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    EXPECT_EQ(*got, infix);
  }
}

TEST(SympyText, InfixBecomesConstructorFormAndBack) {
  for (const std::string infix :
       {"s0", "2*s0 + 1", "s0 - 1", "-s0", "2*(s0 + 3)", "s0**2", "((s0 + 1)//2)", "Max(1, s0)",
        "s0*s1", "Mod(s0, 3)", "s0 + s1 - 4", "(s0//2)*8", "u0 + 1", "GreaterThan(s0, 2)"}) {
    const auto srepr = srepr_from_infix(infix);
    ASSERT_TRUE(srepr.ok()) << srepr.status().to_string();
    const auto back = infix_from_srepr(*srepr);
    ASSERT_TRUE(back.ok()) << back.status().to_string();
    EXPECT_EQ(*back, infix) << *srepr;
  }
}

TEST(SympyText, SymbolsGetTheAssumptionsOfTheirKind) {
  EXPECT_EQ(srepr_from_infix("s0").value(), kS0);
  EXPECT_EQ(srepr_from_infix("u3").value(), "Symbol('u3', integer=True)");
  EXPECT_EQ(srepr_from_infix("zuf1").value(), "Symbol('zuf1')");
}

TEST(SympyText, UnbackedSymbolsAreSeen) {
  EXPECT_TRUE(has_unbacked_symbol("2*u0 + 1"));
  EXPECT_FALSE(has_unbacked_symbol("s0 + bu0"));
}

TEST(SympyText, WhatCannotBeReadIsQuoted) {
  for (const std::string text : {"", "Add(", "Symbol(s0)", "Integer(", "Integer(1) x", "1 +"}) {
    const auto got = infix_from_srepr(text);
    EXPECT_EQ(got.status().code(), StatusCode::kCorrupt) << text;
    EXPECT_THAT(got.status().message(), testing::HasSubstr("\"" + text + "\""));
  }
  EXPECT_EQ(srepr_from_infix("2*(s0").status().code(), StatusCode::kInvalidArgument);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "Add(";
  EXPECT_EQ(infix_from_srepr(deep).status().code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace changeaware
