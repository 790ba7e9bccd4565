#include "runtime/prints_in_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/errors.h"

namespace changeaware {
namespace {

constexpr int64_t kLarge = 64 * 1024;

class PrintsInUseTest : public ::testing::Test {
 protected:
  // The version counts how often it was computed.
  Version get(PrintsInUse::Use& use, const Tensor& tensor, size_t input = 0) {
    const auto compute = [&]() -> Result<Fingerprint> {
      return Fingerprint{std::to_string(++computed_), {}};
    };
    auto print = prints_.get(input, tensor, compute, use);
    EXPECT_TRUE(print.ok()) << print.status().to_string();
    return print.ok() ? print->version : "";
  }

  PrintsInUse prints_;
  std::atomic<int> computed_ = 0;
};

TEST_F(PrintsInUseTest, TheSameMemoryIsReadOnceWhileARequestHoldsIt) {
  const Tensor image = Tensor::empty(DType::kFloat32, {kLarge});
  PrintsInUse::Use first, second, third;
  EXPECT_EQ(get(first, image), "1");
  EXPECT_EQ(get(second, image), "1");
  first = PrintsInUse::Use();
  EXPECT_EQ(get(third, image), "1");
  EXPECT_EQ(prints_.size(), 1u);
}

TEST_F(PrintsInUseTest, AfterTheLastRequestItIsReadAgain) {
  const Tensor image = Tensor::empty(DType::kFloat32, {kLarge});
  for (const char* version : {"1", "2"}) {
    PrintsInUse::Use first, second;
    EXPECT_EQ(get(first, image), version);
    EXPECT_EQ(get(second, image), version);
  }
  EXPECT_EQ(prints_.size(), 0u);
}

TEST_F(PrintsInUseTest, OtherMemoryLayoutTypeOrInputIsReadForItself) {
  const Tensor image = Tensor::empty(DType::kFloat32, {kLarge, 2});
  const auto& storage = image.storage();
  const std::vector<Tensor> tensors = {
      image,
      image.clone(),
      *Tensor::view(DType::kFloat32, {kLarge, 2}, {1, kLarge}, 0, storage),
      *Tensor::view(DType::kFloat32, {2, kLarge}, {kLarge, 1}, 0, storage),
      *Tensor::view(DType::kInt32, {kLarge, 2}, {2, 1}, 0, storage),
      *Tensor::view(DType::kFloat32, {kLarge - 1, 2}, {2, 1}, 2, storage),
  };
  std::vector<PrintsInUse::Use> uses(tensors.size() + 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(get(uses[i], tensors[i]), std::to_string(i + 1));
  }
  EXPECT_EQ(get(uses.back(), image, 1), std::to_string(tensors.size() + 1));
}

TEST_F(PrintsInUseTest, SmallInputsAreNotLookedUp) {
  const Tensor points = Tensor::empty(DType::kFloat32, {8});
  PrintsInUse::Use first, second;
  EXPECT_EQ(get(first, points), "1");
  EXPECT_EQ(get(second, points), "2");
  EXPECT_EQ(prints_.size(), 0u);
}

TEST_F(PrintsInUseTest, AfterAFailureTheNextOneComputes) {
  const Tensor image = Tensor::empty(DType::kFloat32, {kLarge});
  PrintsInUse::Use first, second;
  const auto fail = []() -> Result<Fingerprint> { return internal_error("no memory"); };
  EXPECT_FALSE(prints_.get(0, image, fail, first).ok());
  EXPECT_EQ(get(second, image), "1");
}

TEST_F(PrintsInUseTest, ThreadsAtOnceWaitForTheOneThatComputes) {
  const Tensor image = Tensor::empty(DType::kFloat32, {kLarge});
  constexpr size_t kThreads = 8;
  std::vector<PrintsInUse::Use> uses(kThreads);
  std::vector<Version> versions(kThreads);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { versions[i] = get(uses[i], image); });
    }
  }
  EXPECT_EQ(computed_, 1);
  EXPECT_THAT(versions, ::testing::Each("1"));
  uses.clear();
  EXPECT_EQ(prints_.size(), 0u);
}

}  // namespace
}  // namespace changeaware
