#include "graph/expression.h"

#include <gtest/gtest.h>

namespace changeaware {
namespace {

TEST(Expression, FollowsPythonArithmetic) {
  const SymbolValues s = {{"s0", 7}, {"s1", -2}, {"s77_x", 3}};
  EXPECT_EQ(evaluate_expression("2*s0 + 1", s), 15);
  EXPECT_EQ(evaluate_expression("s0//s1", s), -4);
  EXPECT_EQ(evaluate_expression("s0 % s1", s), -1);
  EXPECT_EQ(evaluate_expression("-s0//2", s), -4);
  EXPECT_EQ(evaluate_expression("Max(1, s0 - s77_x*2, s1)", s), 1);
  EXPECT_EQ(evaluate_expression("Mod(s0, 4) + FloorDiv(s0, 2)*(s0 - 1)", s), 21);
  EXPECT_EQ(evaluate_expression("10 - 3 - 2", s), 5);
}

TEST(Expression, ASymbolIsANameAlone) {
  for (const char* text : {"s0", "s77_x", "n", "_x"}) EXPECT_TRUE(is_symbol(text)) << text;
  for (const char* text : {"", "3", "2s", "2*s0", "s0 + 1", "-s0", "Max(1, s0)", "s0//2"}) {
    EXPECT_FALSE(is_symbol(text)) << text;
  }
}

TEST(Expression, WhatCannotBeComputedIsNothing) {
  const SymbolValues s = {{"s0", INT64_MAX}};
  for (const char* text : {"", "s1", "s0 + 1", "2*s0", "s0 // 0", "s0 % 0", "Foo(3)", "(1", "1)",
                           "1 2", "2**3", "1.5"}) {
    EXPECT_EQ(evaluate_expression(text, s), std::nullopt) << text;
  }
  EXPECT_EQ(evaluate_expression(std::string(10000, '('), s), std::nullopt);
  EXPECT_EQ(evaluate_expression(std::string(10000, '-') + "1", s), std::nullopt);
}

}  // namespace
}  // namespace changeaware
