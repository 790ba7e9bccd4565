#include "identity/parameter_digests.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace changeaware {
namespace {

Tensor counting(Shape shape) {
  Tensor t = Tensor::empty(DType::kFloat32, std::move(shape));
  auto* out = reinterpret_cast<float*>(t.mutable_data());
  std::iota(out, out + t.numel(), 0.0f);
  return t;
}

Tensor view(const Tensor& of, Shape shape, std::vector<int64_t> strides, int64_t offset) {
  return *Tensor::view(of.dtype(), std::move(shape), std::move(strides), offset, of.storage());
}

Digest dense_digest(const Tensor& t) {
  const Tensor dense = t.clone();
  return sha256({dense.data(), dense.size_bytes()});
}

TEST(ParameterDigests, ADigestIsOverTheElementsInLogicalOrder) {
  const Tensor big = counting({64, 96});
  ParameterDigests digests;
  EXPECT_EQ(digests.digest(big), sha256({big.data(), big.size_bytes()}));
  for (const Tensor& t : {view(big, {96, 64}, {1, 96}, 0),           // transposed
                          view(big, {10, 96}, {96, 1}, 96 * 3),      // rows of it
                          view(big, {64, 10}, {96, 1}, 7),           // columns of it
                          view(big, {5, 96}, {0, 1}, 0),             // expanded
                          view(big, {3, 4, 5}, {7, 300, 2}, 11),     // steps in every dimension
                          view(big, {1, 96, 1}, {5000, 1, 77}, 96),  // strides that mean nothing
                          view(big, {}, {}, 13)}) {                  // one element
    EXPECT_EQ(digests.digest(t), dense_digest(t)) << shape_to_string(t.shape());
  }
}

TEST(ParameterDigests, LongAndShortRunsMeet) {
  const Tensor big = counting({200, 3000});
  ParameterDigests digests;
  // Rows of 8,000 bytes go to the hash directly, those of 400 through the buffer.
  for (const Tensor& t : {view(big, {200, 2000}, {3000, 1}, 0), view(big, {200, 100}, {3000, 1}, 5),
                          view(big, {3000, 200}, {1, 3000}, 0)}) {
    EXPECT_EQ(digests.digest(t), dense_digest(t)) << shape_to_string(t.shape());
  }
}

TEST(ParameterDigests, RandomViewsHaveTheDigestOfTheirDenseCopy) {
  std::mt19937 random(1);
  const Tensor big = counting({4096});
  ParameterDigests digests;
  for (int i = 0; i < 500; ++i) {
    Shape shape(random() % 5);
    std::vector<int64_t> strides;
    for (int64_t& size : shape) {
      size = static_cast<int64_t>(random() % 6);
      strides.push_back(static_cast<int64_t>(random() % 60));
    }
    const Tensor t = view(big, shape, strides, static_cast<int64_t>(random() % 1000));
    ASSERT_EQ(digests.digest(t), dense_digest(t))
        << shape_to_string(shape) << shape_to_string(strides);
  }
}

TEST(ParameterDigests, TiedWeightsAreComputedOnce) {
  const Tensor weight = counting({32, 8});
  ParameterDigests digests;
  const Digest first = digests.digest(weight);
  EXPECT_EQ(digests.digest(weight), first);
  // Another Tensor and another Storage over the same memory.
  const Tensor again =
      Tensor::borrow(DType::kFloat32, {32, 8}, {}, weight.data(), weight.storage());
  EXPECT_EQ(digests.digest(again), first);
  EXPECT_EQ(digests.computed_count(), 1u);
  EXPECT_EQ(digests.computed_bytes(), 1024u);
  digests.digest(view(weight, {8, 32}, {1, 8}, 0));  // the same memory, other elements in order
  EXPECT_EQ(digests.computed_count(), 2u);
}

TEST(ParameterDigests, MemoryThatWasSeenIsNotReusedForAnotherTensor) {
  ParameterDigests digests;
  const std::byte* address = nullptr;
  {
    const Tensor gone = Tensor::of<float>(DType::kFloat32, {256}, std::vector<float>(256, 1.0f));
    address = gone.data();
    digests.digest(gone);
  }
  for (int i = 0; i < 100; ++i) {
    const Tensor next = Tensor::empty(DType::kFloat32, {256});
    ASSERT_NE(next.data(), address);
  }
}

TEST(ParameterDigests, EmptyTensorsHaveTheDigestOfNothing) {
  ParameterDigests digests;
  EXPECT_EQ(digests.digest(Tensor::empty(DType::kInt64, {3, 0, 2})), sha256({}));
}

}  // namespace
}  // namespace changeaware
