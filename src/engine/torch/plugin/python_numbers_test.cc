// What Python answers, as Python answered it.
#include "engine/torch/plugin/python_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace changeaware::torch_plugin {
namespace {

using Numbers = std::vector<Number>;

Number answer(std::string_view op, const Numbers& numbers) {
  return find_number_op(op)->function(numbers);
}

Number integer(int64_t v) { return v; }

TEST(PythonNumbers, IntegersDivideTowardsMinusInfinity) {
  EXPECT_EQ(answer("_operator.floordiv", {integer(-7), integer(2)}), integer(-4));
  EXPECT_EQ(answer("_operator.floordiv", {integer(7), integer(-2)}), integer(-4));
  EXPECT_EQ(answer("_operator.floordiv", {integer(-8), integer(2)}), integer(-4));
  EXPECT_EQ(answer("_operator.mod", {integer(-7), integer(2)}), integer(1));
  EXPECT_EQ(answer("_operator.mod", {integer(7), integer(-2)}), integer(-1));
  EXPECT_EQ(answer("_operator.floordiv", {-7.5, 2.0}), Number(-4.0));
  EXPECT_EQ(answer("_operator.mod", {-7.5, 2.0}), Number(0.5));
  EXPECT_EQ(answer("_operator.floordiv", {integer(7), 2.0}), Number(3.0));
}

TEST(PythonNumbers, ADivisionOfIntegersIsReal) {
  EXPECT_EQ(answer("_operator.truediv", {integer(7), integer(2)}), Number(3.5));
  EXPECT_EQ(answer("_operator.truediv", {integer(6), integer(2)}), Number(3.0));
}

TEST(PythonNumbers, TruthValuesCountInArithmeticAndStayInBitwiseOperators) {
  EXPECT_EQ(answer("_operator.add", {true, true}), integer(2));
  EXPECT_EQ(answer("_operator.and_", {true, false}), Number(false));
  EXPECT_EQ(answer("_operator.xor", {integer(6), true}), integer(7));
  EXPECT_EQ(answer("torch.sym_not", {integer(0)}), Number(true));
  EXPECT_EQ(answer("_operator.pos", {true}), integer(1));
}

TEST(PythonNumbers, PowersOfIntegersAreIntegersUnlessTheExponentIsNegative) {
  EXPECT_EQ(answer("_operator.pow", {integer(-3), integer(3)}), integer(-27));
  EXPECT_EQ(answer("_operator.pow", {integer(2), integer(-1)}), Number(0.5));
  EXPECT_EQ(answer("_operator.pow", {integer(2), integer(62)}), integer(int64_t{1} << 62));
}

TEST(PythonNumbers, IntegersAndRealsCompareWithoutRounding) {
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(answer("_operator.eq", {integer(large), 9007199254740992.0}), Number(false));
  EXPECT_EQ(answer("_operator.gt", {integer(large), 9007199254740992.0}), Number(true));
  EXPECT_EQ(answer("_operator.lt", {std::nan(""), integer(1)}), Number(false));
}

TEST(PythonNumbers, ExtremaArePromotedToReals) {
  EXPECT_EQ(answer("torch.sym_max", {integer(3), integer(5)}), integer(5));
  EXPECT_EQ(answer("torch.sym_min", {integer(3), 5.0}), Number(3.0));
  EXPECT_EQ(answer("torch.sym_ite", {integer(1), integer(3), 5.0}), integer(3));
  EXPECT_EQ(answer("torch.sym_sum", {integer(1), integer(2), integer(3)}), integer(6));
}

TEST(PythonNumbers, RealsAreRoundedToIntegers) {
  EXPECT_EQ(answer("math.ceil", {1.25}), integer(2));
  EXPECT_EQ(answer("math.floor", {-1.25}), integer(-2));
  EXPECT_EQ(answer("math.trunc", {-1.75}), integer(-1));
  EXPECT_EQ(answer("torch.sym_int", {2.75}), integer(2));
  EXPECT_EQ(answer("torch.sym_float", {integer(2)}), Number(2.0));
  EXPECT_EQ(answer("torch._sym_sqrt", {integer(9)}), Number(3.0));
}

TEST(PythonNumbers, ShiftsFollowTheSign) {
  EXPECT_EQ(answer("_operator.lshift", {integer(-3), integer(4)}), integer(-48));
  EXPECT_EQ(answer("_operator.rshift", {integer(-3), integer(80)}), integer(-1));
}

TEST(PythonNumbers, WhatPythonRefusesOrGrowsForIsAnError) {
  const Number most = integer(INT64_MAX);
  EXPECT_THROW(answer("_operator.floordiv", {integer(1), integer(0)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.truediv", {1.0, 0.0}), std::runtime_error);
  EXPECT_THROW(answer("_operator.add", {most, integer(1)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.mul", {most, integer(2)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.neg", {integer(INT64_MIN)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.floordiv", {integer(INT64_MIN), integer(-1)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.lshift", {integer(1), integer(63)}), std::runtime_error);
  EXPECT_THROW(answer("_operator.rshift", {integer(1), integer(-1)}), std::runtime_error);
  EXPECT_THROW(answer("math.floor", {std::nan("")}), std::runtime_error);
  EXPECT_THROW(answer("math.floor", {1e19}), std::runtime_error);
  EXPECT_EQ(find_number_op("_operator.matmul"), nullptr);
}

}  // namespace
}  // namespace changeaware::torch_plugin
