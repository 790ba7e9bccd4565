#include "runtime/input_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware {
namespace {

using ::testing::HasSubstr;

Manifest sample() {
  Manifest m;
  m.inputs = {{{"image", DType::kFloat32, {"1", "s0"}}, ""},
              {{"points", DType::kInt64, {"s0", "2*s1 + 1"}}, ""},
              {{"labels", DType::kFloat32, {"s1"}}, ""}};
  m.symbols = {{"s0", 2, 8}, {"s1", 0, INT64_MAX}};
  return m;
}

Status check(std::vector<Tensor> given) {
  given.resize(3);
  return InputContract(sample()).check(given);
}

Tensor image(Shape s) { return Tensor::empty(DType::kFloat32, std::move(s)); }
Tensor points(Shape s) { return Tensor::empty(DType::kInt64, std::move(s)); }

TEST(InputContract, AcceptsWhatFits) {
  EXPECT_TRUE(check({image({1, 3}), points({3, 5}), image({2})}).ok());
  EXPECT_TRUE(check({image({1, 8})}).ok());
  EXPECT_TRUE(check({}).ok());
}

TEST(InputContract, NamesTheInputAndBothShapes) {
  EXPECT_EQ(check({image({2, 3})}).message(),
            "input 'image' is float32 [2, 3], the program takes float32 [1, s0]");
  EXPECT_THAT(check({image({1, 3, 1})}).message(), HasSubstr("input 'image' is float32 [1, 3, 1]"));
  EXPECT_THAT(check({points({1, 3})}).message(), HasSubstr("input 'image' is int64 [1, 3]"));
}

TEST(InputContract, ASymbolHasOneValueInARequest) {
  EXPECT_THAT(check({image({1, 3}), points({4, 5}), image({2})}).message(),
              HasSubstr("s0 is 3 elsewhere"));
  EXPECT_THAT(check({image({1, 3}), points({3, 6}), image({2})}).message(),
              HasSubstr("2*s1 + 1 is 5 for this request"));
}

TEST(InputContract, ASizeOutsideItsRangeIsRefused) {
  for (int64_t bad : {1, 9}) {
    EXPECT_THAT(check({image({1, bad})}).message(),
                HasSubstr("the program was exported for 2 to 8"));
  }
}

TEST(InputContract, ASizeThatOnlyAnExpressionGivesIsSolvedForItsSymbol) {
  EXPECT_TRUE(check({image({1, 3}), points({3, 5})}).ok());
  EXPECT_THAT(check({image({1, 3}), points({3, 6})}).message(), HasSubstr("input 'points' is"));
  EXPECT_THAT(check({image({1, 3}), points({3, 5}), image({3})}).message(),
              HasSubstr("2*s1 + 1 is 7 for this request"));
  Manifest few = sample();
  few.symbols[1].max = 3;
  EXPECT_THAT(InputContract(few).check({image({1, 3}), points({3, 9}), Tensor()}).message(),
              HasSubstr("has size 4 for s1, the program was exported for 0 to 3"));
}

TEST(InputContract, ASizeThatCannotBeCheckedIsRefused) {
  Manifest product = sample();
  product.inputs[1].port.shape[1] = "s1*s2";
  EXPECT_THAT(InputContract(product).check({image({1, 3}), points({3, 4}), Tensor()}).message(),
              HasSubstr("cannot be checked"));
}

}  // namespace
}  // namespace changeaware
