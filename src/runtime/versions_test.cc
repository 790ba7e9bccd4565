#include "runtime/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace changeaware {
namespace {

using ::testing::HasSubstr;

Tensor floats(Shape shape, std::vector<float> v) {
  return Tensor::of(DType::kFloat32, std::move(shape), v);
}

class Versions : public ::testing::Test {
 protected:
  Version of(const Tensor& t) { return print_.fingerprint("x", t)->version; }
  Fingerprinter print_;
};

TEST_F(Versions, CoverDtypeShapeAndBytes) {
  const Tensor zeros32 = floats({6}, std::vector<float>(6, 0));
  const std::set<Version> all = {
      of(floats({2, 3}, {0, 1, 2, 3, 4, 5})),
      of(floats({3, 2}, {0, 1, 2, 3, 4, 5})),
      of(floats({6}, {0, 1, 2, 3, 4, 5})),
      of(floats({6, 1}, {0, 1, 2, 3, 4, 5})),
      of(floats({6}, {0, 1, 2, 3, 4, 6})),
      of(zeros32),
      of(Tensor::of(DType::kInt32, {6}, std::vector<int32_t>(6, 0))),
      of(floats({}, {0})),
      of(floats({1}, {0})),
      of(floats({0, 3}, {})),
      of(floats({3, 0}, {})),
  };
  EXPECT_EQ(all.size(), 11u);
}

TEST_F(Versions, DependOnLogicalValuesNotOnLayout) {
  const Tensor c_order = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor f_storage = floats({6}, {0, 3, 1, 4, 2, 5});
  const Tensor f_order = *Tensor::view(DType::kFloat32, {2, 3}, {1, 2}, 0, f_storage.storage());
  const Tensor wide = floats({12}, {0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1});
  const Tensor strided = *Tensor::view(DType::kFloat32, {2, 3}, {6, 2}, 0, wide.storage());
  EXPECT_EQ(of(c_order), of(f_order));
  EXPECT_EQ(of(c_order), of(strided));
  // Two views of the same bytes with different values.
  const Tensor shifted = *Tensor::view(DType::kFloat32, {2, 2}, {4, 2}, 0, wide.storage());
  const Tensor other = *Tensor::view(DType::kFloat32, {2, 2}, {2, 4}, 0, wide.storage());
  EXPECT_NE(of(shifted), of(other));
}

TEST_F(Versions, AreOfBits) {
  EXPECT_NE(of(floats({1}, {0.0f})), of(floats({1}, {-0.0f})));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(of(floats({1}, {nan})), of(floats({1}, {nan})));
}

TEST_F(Versions, SeeAChangeOfOneBitAnywhere) {
  std::vector<float> v(300000, 1.0f);  // several blocks
  const Version before = of(floats({300000}, v));
  for (size_t at : {size_t{0}, size_t{32767}, size_t{32768}, size_t{150001}, size_t{299999}}) {
    std::vector<float> w = v;
    w[at] = std::nextafter(1.0f, 2.0f);
    EXPECT_NE(of(floats({300000}, w)), before) << at;
  }
}

TEST_F(Versions, HaveASecretPerObject) {
  const Tensor t = floats({2}, {1, 2});
  Fingerprinter other;
  EXPECT_NE(of(t), other.fingerprint("x", t)->version);
}

TEST_F(Versions, ATagIsNeverAFingerprint) {
  const Version print = of(floats({1}, {1}));
  EXPECT_NE(tag_version(print), print);
  EXPECT_NE(tag_version(print.substr(1)), print);
  EXPECT_NE(tag_version("a"), tag_version("b"));
  EXPECT_EQ(print.size(), 17u) << "128 bits";
}

TEST_F(Versions, ValuesOutsideTheContractAreNamed) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> many(100000, 1.0f);
  many[99999] = nan;
  EXPECT_THAT(check_values("image", floats({100000}, many)).message(),
              HasSubstr("input 'image' holds a NaN"));
  EXPECT_FALSE(print_.fingerprint("image", floats({100000}, many))->values.ok());
  EXPECT_TRUE(check_values("x", floats({2}, {INFINITY, -INFINITY})).ok());
  const auto ints = [](int64_t v) {
    return Tensor::of(DType::kInt64, {1}, std::vector<int64_t>{v});
  };
  for (int64_t good : {int64_t{0}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    EXPECT_TRUE(check_values("ids", ints(good)).ok()) << good;
  }
  for (int64_t bad :
       {int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1, INT64_MAX, INT64_MIN, int64_t{1} << 40}) {
    EXPECT_THAT(check_values("ids", ints(bad)).message(),
                HasSubstr("input 'ids' holds an integer outside"))
        << bad;
  }
  const auto half = [](DType dtype, uint16_t bits) {
    return Tensor::of(dtype, {1}, std::vector<uint16_t>{bits});
  };
  EXPECT_FALSE(check_values("h", half(DType::kFloat16, 0x7e00)).ok());
  EXPECT_TRUE(check_values("h", half(DType::kFloat16, 0x7c00)).ok());
  EXPECT_FALSE(check_values("b", half(DType::kBFloat16, 0xffc0)).ok());
  EXPECT_TRUE(check_values("b", half(DType::kBFloat16, 0xff80)).ok());
  EXPECT_FALSE(
      check_values("d", Tensor::of(DType::kFloat64, {1}, std::vector<double>{std::nan("")})).ok());
}

}  // namespace
}  // namespace changeaware
