// Tensors from C: nothing outside of what the caller gave is ever read.
#include "api/tensor_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace changeaware::api {
namespace {

using ::testing::HasSubstr;

constexpr std::array<float, 6> kData = {1, 2, 3, 4, 5, 6};
constexpr std::array<int64_t, 2> kShape = {2, 3};

TensorArgument good() {
  return {CA_FLOAT32, kShape.data(), 2, nullptr, kData.data(), sizeof(kData)};
}

void expect_refused(const TensorArgument& argument, const std::string& why) {
  const auto tensor = borrow_argument("image", argument);
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(tensor.status().message(), HasSubstr("'image'"));
  EXPECT_THAT(tensor.status().message(), HasSubstr(why));
}

TEST(TensorArgument, ADenseTensorIsAViewOfItsData) {
  const auto tensor = borrow_argument("image", good());
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->data(), reinterpret_cast<const std::byte*>(kData.data()));
  EXPECT_TRUE(tensor->is_contiguous());
}

TEST(TensorArgument, StridesCountElements) {
  const std::array<int64_t, 2> strides = {1, 2};
  TensorArgument argument = good();
  argument.strides = strides.data();
  const auto tensor = borrow_argument("image", argument);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->contiguous().data_as<float>()[1], 3);
}

TEST(TensorArgument, AnUnknownDtypeIsRefused) {
  TensorArgument argument = good();
  argument.dtype = 16;
  expect_refused(argument, "16 is no dtype");
  argument.dtype = CA_NO_DTYPE;
  expect_refused(argument, "-1 is no dtype");
}

TEST(TensorArgument, TooManyDimensionsAreRefused) {
  TensorArgument argument = good();
  argument.rank = SIZE_MAX;
  expect_refused(argument, "rank");
}

TEST(TensorArgument, AShapeOrDataThatIsMissingIsRefused) {
  TensorArgument argument = good();
  argument.shape = nullptr;
  expect_refused(argument, "shape is NULL");
  argument = good();
  argument.data = nullptr;
  expect_refused(argument, "data is NULL");
}

TEST(TensorArgument, AScalarNeedsNoShape) {
  EXPECT_TRUE(borrow_argument("image", {CA_FLOAT32, nullptr, 0, nullptr, kData.data(), 4}).ok());
  expect_refused({CA_FLOAT32, nullptr, 0, nullptr, nullptr, 0}, "data is NULL");
}

TEST(TensorArgument, AnEmptyTensorNeedsNoData) {
  const std::array<int64_t, 2> shape = {0, 3};
  const auto tensor = borrow_argument("image", {CA_FLOAT32, shape.data(), 2, nullptr, nullptr, 0});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->numel(), 0);
}

TEST(TensorArgument, DataThatIsTooShortIsRefused) {
  TensorArgument argument = good();
  argument.bytes = sizeof(kData) - 1;
  expect_refused(argument, "past the 23 bytes");
}

TEST(TensorArgument, StridesThatReachOutsideAreRefused) {
  std::array<int64_t, 2> strides = {4, 1};
  TensorArgument argument = good();
  argument.strides = strides.data();
  expect_refused(argument, "past the 24 bytes");
  strides = {-1, 1};
  expect_refused(argument, "impossible strides");
  strides = {INT64_MAX, INT64_MAX};
  expect_refused(argument, "impossible strides");
}

TEST(TensorArgument, SizesThatNobodyCanHaveAreRefused) {
  std::array<int64_t, 2> shape = {-1, 3};
  TensorArgument argument = good();
  argument.shape = shape.data();
  expect_refused(argument, "impossible sizes");
  shape = {INT64_MAX, INT64_MAX};
  expect_refused(argument, "impossible sizes");
  const std::array<int64_t, 3> empty = {0, INT64_MAX, INT64_MAX};
  expect_refused({CA_FLOAT32, empty.data(), 3, nullptr, nullptr, 0}, "impossible sizes");
}

TEST(TensorArgument, DataThatIsNotAlignedIsRefused) {
  TensorArgument argument = good();
  argument.data = reinterpret_cast<const char*>(kData.data()) + 1;
  argument.shape = kShape.data() + 1;
  argument.rank = 1;
  argument.bytes = 20;
  expect_refused(argument, "not aligned to 4 bytes");
}

}  // namespace
}  // namespace changeaware::api
