#include "identity/size_expression.h"

#include <gtest/gtest.h>

#include <string>

namespace changeaware {
namespace {

std::string canonical(std::string_view text) {
  return canonical_size(text, [](std::string_view name) { return std::string(name); });
}

TEST(SizeExpression, OrderSpacingAndParenthesesDoNotMatter) {
  EXPECT_EQ(canonical("s0 + 2*s1"), canonical("s1*2+s0"));
  EXPECT_EQ(canonical("s0*s1*s2"), canonical("(s2*s0)*s1"));
  EXPECT_EQ(canonical("(s0 + 1) + s1"), canonical("s1 + s0 + 1"));
  EXPECT_EQ(canonical("s0 - 1"), canonical("-1 + s0"));
  EXPECT_EQ(canonical("-s0"), canonical("-1*s0"));
  EXPECT_EQ(canonical("((s0//2))"), canonical("s0//2"));
  EXPECT_EQ(canonical("Max(1, s0)"), canonical("Max(s0, 1)"));
  EXPECT_EQ(canonical("2*(s0 + 1)"), canonical("(1 + s0)*2"));
}

TEST(SizeExpression, DifferentExpressionsDiffer) {
  const std::string all[] = {"s0",         "s1",         "-s0",           "2*s0",        "s0 + 2",
                             "s0 - 2",     "2 - s0",     "s0//2",         "2//s0",       "s0 % 2",
                             "s0**2",      "2**s0",      "s0*s0",         "s0 + s0",     "s0 + s1",
                             "s0 - s1",    "s1 - s0",    "-s0 - s1",      "s0*s1",       "s0//s1",
                             "Max(1, s0)", "Min(1, s0)", "Mod(s0, 2)",    "Mod(2, s0)",  "1",
                             "(2*s0)//3",  "2*(s0//3)",  "s0 - (s1 + 1)", "s0 - s1 + 1", "f()",
                             "2*(s0 + 1)", "2*s0 + 1",   "s0*(-2) + 1",   "Eq(s0, s1)",  "12"};
  for (const std::string& a : all) {
    for (const std::string& b : all) {
      if (&a == &b) continue;
      EXPECT_NE(canonical(a), canonical(b)) << a << " and " << b;
    }
  }
}

TEST(SizeExpression, AWordIsReplacedButAFunctionIsNot) {
  const auto form = [](std::string_view name) {
    return name == "s0" ? std::string("#0") : std::string(name);
  };
  EXPECT_EQ(canonical_size("s0 + s00", form), "(+ #0 s00)");
  EXPECT_EQ(canonical_size("s0(s0)", form), "(s0 #0)");
  EXPECT_EQ(literal_expression("2*s0 + s0s", form), "text:2*#0 + s0s");
}

TEST(SizeExpression, WhatIsNotUnderstoodStaysAsItIs) {
  for (const std::string text :
       {"0.5*s0", "1e3", "s0 ? 1", "(s0", "s0)", "", "s0 +", "a.b", "1s"}) {
    EXPECT_EQ(canonical(text), "text:" + text);
  }
}

TEST(SizeExpression, DeepNestingIsNotFollowedForEver) {
  const std::string deep = std::string(100000, '(') + "s0" + std::string(100000, ')');
  EXPECT_EQ(canonical(deep), "text:" + deep);
  const std::string minus(100000, '-');
  EXPECT_EQ(canonical(minus + "s0"), "text:" + minus + "s0");
}

}  // namespace
}  // namespace changeaware
