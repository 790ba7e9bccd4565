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

TEST(Expression, AreTheNamesThatAreNotFunctions) {
  EXPECT_EQ(symbols_in("2*s0 + Max(1, s1_x)//(s0)"),
            (std::vector<std::string>{"s0", "s1_x", "s0"}));
  EXPECT_TRUE(symbols_in("16").empty());
}

TEST(Expression, KnowsTheSymbolsOfNumbersThatOnlyARunCanTell) {
  for (const char* name : {"u0", "u17", "zuf3"}) EXPECT_TRUE(is_unbacked_symbol(name)) << name;
  for (const char* name : {"s0", "u", "u0_x", "us1", "zuf", "user"})
    EXPECT_FALSE(is_unbacked_symbol(name)) << name;
}

TEST(Expression, ALinearSizeDefinesItsSymbol) {
  SymbolValues symbols;
  EXPECT_EQ(match_size("4*h", 12, symbols), SizeMatch::kMatches);
  EXPECT_EQ(symbols["h"], 3);
  EXPECT_EQ(match_size("2*h + k - 1", 5, symbols), SizeMatch::kMatches);
  EXPECT_EQ(symbols["k"], 0);
  EXPECT_EQ(match_size("h", 3, symbols), SizeMatch::kMatches);
  EXPECT_EQ(match_size("4*h", 16, symbols), SizeMatch::kDiffers);
}

TEST(Expression, ASizeThatNoIntegerGivesDiffersAndDefinesNothing) {
  SymbolValues symbols;
  EXPECT_EQ(match_size("4*h", 10, symbols), SizeMatch::kDiffers);
  EXPECT_EQ(match_size("h*h", 9, symbols), SizeMatch::kUnknown);
  EXPECT_EQ(match_size("h + k", 9, symbols), SizeMatch::kUnknown);
  EXPECT_EQ(match_size("h//2", 9, symbols), SizeMatch::kUnknown);
  EXPECT_TRUE(symbols.empty());
}

}  // namespace
}  // namespace changeaware
