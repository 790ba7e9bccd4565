#include "strategy/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "strategy/alternates.h"
#include "strategy/change_sets.h"

namespace changeaware {
namespace {

Tensor floats(const std::vector<float>& values) {
  return Tensor::of(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

const Tolerance kExact = {0, 0, 0};

TEST(Comparison, TheFirstElementOutsideTheToleranceIsNamed) {
  const Tensor a = floats({1, 100, 3});
  const Tensor b = floats({1.001f, 100, 4});
  const Comparison c = compare(a, b, {.rtol = 0.01, .of_scale = 0});
  EXPECT_FALSE(c.within_tolerance);
  EXPECT_EQ(c.element, 2);
  EXPECT_EQ(describe(c, a, b, "one", "other"), "differs first at element 2: 3 in one, 4 in other");
}

TEST(Comparison, EachPartOfTheToleranceCounts) {
  const Tensor a = floats({1, 100});
  const Tensor b = floats({1.5f, 100});
  EXPECT_FALSE(compare(a, b, kExact).within_tolerance);
  EXPECT_TRUE(compare(a, b, {.rtol = 0.5, .of_scale = 0}).within_tolerance);
  EXPECT_TRUE(compare(a, b, {.atol = 0.5, .of_scale = 0}).within_tolerance);
  EXPECT_TRUE(compare(a, b, {.of_scale = 0.005}).within_tolerance);
  EXPECT_FALSE(compare(a, b, {.of_scale = 0.004}).within_tolerance);
}

TEST(Comparison, OutsideAStrictToleranceOnlyIsNoContradiction) {
  const Comparison c = compare(floats({1, 1000}), floats({1.0001f, 1000}), kExact);
  EXPECT_FALSE(c.within_tolerance);
  EXPECT_FALSE(c.contradicts);
  EXPECT_TRUE(compare(floats({1, 1000}), floats({1.2f, 1000}), kExact).contradicts);
}

TEST(Comparison, ANaNEqualsANaNAndNothingElse) {
  const float nan = std::nanf("");
  EXPECT_TRUE(compare(floats({nan, 1}), floats({-nan, 1}), kExact).within_tolerance);
  EXPECT_TRUE(compare(floats({nan, 1}), floats({0, 1}), {.atol = 1e30}).contradicts);
  EXPECT_TRUE(compare(floats({HUGE_VALF, 1}), floats({3, 1}), {.rtol = 1}).contradicts);
  EXPECT_TRUE(compare(floats({HUGE_VALF}), floats({HUGE_VALF}), kExact).same_bits);
}

TEST(Comparison, ZerosOfBothSignsDifferInBitsOnly) {
  const Comparison c = compare(floats({0.0f}), floats({-0.0f}), kExact);
  EXPECT_FALSE(c.same_bits);
  EXPECT_TRUE(c.within_tolerance);
}

TEST(Comparison, IntegersAndOtherShapesAreEqualOrContradict) {
  const auto ints = [](const std::vector<int64_t>& v) { return Tensor::of(DType::kInt64, {2}, v); };
  EXPECT_TRUE(compare(ints({1, 2}), ints({1, 2}), kExact).same_bits);
  const Comparison c = compare(ints({1, 2}), ints({1, 3}), {.atol = 10});
  EXPECT_TRUE(c.contradicts);
  EXPECT_EQ(c.element, 1);
  const Tensor a = floats({1});
  const Tensor b = floats({1, 2});
  const Comparison shapes = compare(a, b, {.atol = 10});
  EXPECT_TRUE(shapes.contradicts);
  EXPECT_EQ(describe(shapes, a, b, "one", "other"), "is float32 [1] in one, float32 [2] in other");
}

TEST(Alternates, FloatsAreALittleLargerAndZerosBecomeARamp) {
  const Tensor x = alternate_of(floats({1, -2, 0}));
  EXPECT_EQ(x.data_as<float>()[0], 1.0078125f);
  EXPECT_EQ(x.data_as<float>()[1], -2.015625f);
  EXPECT_EQ(x.data_as<float>()[2], 0);
  const Tensor zeros = alternate_of(floats({0, 0}));
  EXPECT_GT(zeros.data_as<float>()[0], 0);
  EXPECT_GT(zeros.data_as<float>()[1], zeros.data_as<float>()[0]);
}

TEST(Alternates, IntegersAreRolledAlongTheLastDimensionWithElements) {
  const Tensor x = Tensor::of<int64_t>(DType::kInt64, {2, 3, 1}, {0, 1, 2, 3, 4, 5});
  const Tensor rolled = alternate_of(x);
  EXPECT_EQ(rolled.shape(), x.shape());
  const std::vector<int64_t> got(rolled.data_as<int64_t>(), rolled.data_as<int64_t>() + 6);
  EXPECT_EQ(got, (std::vector<int64_t>{1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(x.data_as<int64_t>()[0], 0) << "the example stays as it is";
  const Tensor single = Tensor::of<int64_t>(DType::kInt64, {}, {7});
  EXPECT_TRUE(bit_identical(alternate_of(single), single));
}

TEST(Alternates, EmptyTensorsAndBooleansHaveOne) {
  EXPECT_EQ(alternate_of(Tensor::empty(DType::kInt64, {0, 3})).numel(), 0);
  const Tensor flags = Tensor::of<uint8_t>(DType::kBool, {3}, {1, 0, 0});
  EXPECT_EQ(alternate_of(flags).data_as<uint8_t>()[2], 1);
}

TEST(ChangeSets, AllOfThemSmallerOnesFirst) {
  const auto sets = all_change_sets(3);
  ASSERT_EQ(sets.size(), 8);
  EXPECT_TRUE(sets.front().none());
  EXPECT_EQ(sets[1].count(), 1);
  EXPECT_TRUE(sets.back().all());
}

TEST(ChangeSets, TheCoveringSampleHasEveryPairInEveryState) {
  for (size_t n : {3, 7, 12}) {
    const auto sets = covering_change_sets(n);
    EXPECT_EQ(sets.size(), n == 3 ? 8 : 2 * n + 2);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = i + 1; j < n; ++j) {
        int states = 0;
        for (const InputSet& s : sets) states |= 1 << (2 * s[i] + s[j]);
        EXPECT_EQ(states, 15) << i << " and " << j << " of " << n;
      }
    }
  }
  EXPECT_EQ(covering_change_sets(0).size(), 1);
  EXPECT_EQ(covering_change_sets(1).size(), 2);
}

}  // namespace
}  // namespace changeaware
