#include "changeaware/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace changeaware {
namespace {

std::vector<float> values(const Tensor& t) {
  const Tensor dense = t.contiguous();
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

std::shared_ptr<Storage> iota_storage(int64_t n) {
  std::vector<float> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 0.0f);
  return Tensor::of(DType::kFloat32, {n}, v).storage();
}

TEST(Tensor, AViewReadsItsStorageThroughOffsetAndStrides) {
  const auto storage = iota_storage(24);  // arange(24).reshape(4, 6)
  auto rows = Tensor::view(DType::kFloat32, {2, 6}, {6, 1}, 6, storage);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(values(*rows), (std::vector<float>{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}));
  auto transposed = Tensor::view(DType::kFloat32, {3, 2}, {1, 3}, 0, storage);
  ASSERT_TRUE(transposed.ok());
  EXPECT_FALSE(transposed->is_contiguous());
  EXPECT_EQ(values(*transposed), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  auto expanded = Tensor::view(DType::kFloat32, {2, 2}, {0, 1}, 3, storage);
  ASSERT_TRUE(expanded.ok());
  EXPECT_EQ(values(*expanded), (std::vector<float>{3, 4, 3, 4}));
}

TEST(Tensor, AViewOutsideItsStorageIsRefused) {
  const auto storage = iota_storage(6);
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {7}, {1}, 0, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {2, 3}, {3, 1}, 1, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {2}, {huge}, 0, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {huge, huge}, {1, 1}, 0, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {2}, {-1}, 3, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {-1}, {1}, 0, storage).ok());
  EXPECT_FALSE(Tensor::view(DType::kFloat32, {1}, {1}, -1, storage).ok());
  EXPECT_TRUE(Tensor::view(DType::kFloat32, {2, 3}, {3, 1}, 0, storage).ok());
  EXPECT_TRUE(Tensor::view(DType::kFloat32, {0, 3}, {3, 1}, 0, storage).ok());
}

TEST(Tensor, EqualityIsOfBitsInLogicalOrder) {
  const auto f = [](std::vector<float> v) { return Tensor::of(DType::kFloat32, {2}, v); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(bit_identical(f({1, nan}), f({1, nan})));
  EXPECT_FALSE(bit_identical(f({0.0f, 1}), f({-0.0f, 1})));
  EXPECT_FALSE(
      bit_identical(f({1, 2}), Tensor::of(DType::kFloat32, {1, 2}, std::vector<float>{1, 2})));
  const auto storage = iota_storage(4);
  const Tensor strided = *Tensor::view(DType::kFloat32, {2}, {2}, 0, storage);
  EXPECT_TRUE(bit_identical(strided, f({0, 2})));
}

TEST(Tensor, ACloneSharesNothing) {
  const Tensor a = Tensor::of(DType::kInt64, {2}, std::vector<int64_t>{1, 2});
  const Tensor b = a.clone();
  reinterpret_cast<int64_t*>(a.mutable_data())[0] = 9;
  EXPECT_EQ(b.data_as<int64_t>()[0], 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % 64, 0u);
}

TEST(Tensor, ScalarsAndEmptyTensorsAreTensors) {
  const Tensor scalar = Tensor::empty(DType::kFloat32, {});
  EXPECT_EQ(scalar.numel(), 1);
  EXPECT_TRUE(scalar.is_contiguous());
  const Tensor none = Tensor::empty(DType::kFloat32, {3, 0, 2});
  EXPECT_EQ(none.size_bytes(), 0u);
  EXPECT_TRUE(bit_identical(none, none.clone()));
}

}  // namespace
}  // namespace changeaware
