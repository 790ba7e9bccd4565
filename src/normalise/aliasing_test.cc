#include "normalise/aliasing.h"

#include "normalise/inplace.h"
#include "normalise/test_util.h"

namespace changeaware {
namespace {

TensorSpec spec_of(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides = {}) {
  TensorSpec spec;
  for (int64_t size : sizes) spec.dims.push_back(Dim{size, ""});
  for (int64_t stride : strides) spec.strides.push_back(Dim{stride, ""});
  return spec;
}

Sharing sharing(const std::string& call, const std::vector<int64_t>& strides = {}) {
  Graph graph = parse_or_die("graph(%x: f32[4, 6], %i: i64[4]) { %r: " + call + " return (%r) }");
  if (!strides.empty()) set_strides(graph, "x", strides);
  return aliasing_of(graph, graph.node(0)).sharing;
}

TEST(Aliasing, ContiguityIgnoresDimensionsOfOneElement) {
  EXPECT_EQ(is_contiguous(spec_of({2, 3})), Ternary::kYes);
  EXPECT_EQ(is_contiguous(spec_of({2, 3}, {3, 1})), Ternary::kYes);
  EXPECT_EQ(is_contiguous(spec_of({2, 1, 3}, {3, 77, 1})), Ternary::kYes);
  EXPECT_EQ(is_contiguous(spec_of({2, 3}, {1, 2})), Ternary::kNo);
  EXPECT_EQ(is_contiguous(spec_of({0, 3}, {1, 2})), Ternary::kYes);
}

TEST(Aliasing, SymbolicStridesAreComparedAsPolynomials) {
  const auto spec = [](std::string d0, std::string d1, std::string d2, std::string t0,
                       std::string t1) {
    TensorSpec out;
    out.dims = {Dim{2, std::move(d0)}, Dim{2, std::move(d1)}, Dim{2, std::move(d2)}};
    out.strides = {Dim{4, std::move(t0)}, Dim{2, std::move(t1)}, Dim{1, ""}};
    return out;
  };
  EXPECT_EQ(is_contiguous(spec("s0", "s1", "s2 + 1", "s1*s2 + s1", "s2 + 1")), Ternary::kYes);
  // A slice of something larger, of equal size at export.
  EXPECT_EQ(is_contiguous(spec("s0", "s1", "s2", "s1*s3", "s3")), Ternary::kNo);
  EXPECT_EQ(is_contiguous(spec("s0", "s1", "s2//2", "s1*(s2//2)", "s2//2")), Ternary::kUnknown);
  EXPECT_EQ(can_view(spec("s0", "s1", "s2", "s1*s3", "s3"), spec("s0", "s1", "s2", "", "")),
            Ternary::kYes);
}

TEST(Aliasing, AViewSplitsRunsOfDimensions) {
  EXPECT_EQ(can_view(spec_of({4, 6}, {6, 1}), spec_of({24})), Ternary::kYes);
  EXPECT_EQ(can_view(spec_of({4, 6}, {1, 4}), spec_of({24})), Ternary::kNo);
  EXPECT_EQ(can_view(spec_of({4, 6}, {1, 4}), spec_of({2, 2, 6})), Ternary::kYes);
  EXPECT_EQ(can_view(spec_of({4, 6}, {1, 4}), spec_of({4, 3, 2})), Ternary::kYes);
  EXPECT_EQ(can_view(spec_of({4, 6}, {12, 1}), spec_of({4, 1, 6, 1})), Ternary::kYes);
  EXPECT_EQ(can_view(spec_of({4, 6}, {12, 1}), spec_of({24})), Ternary::kNo);
  EXPECT_EQ(can_view(spec_of({2, 3, 4}, {24, 4, 1}), spec_of({2, 12})), Ternary::kYes);
  EXPECT_EQ(can_view(spec_of({2, 3, 4}, {24, 4, 1}), spec_of({6, 4})), Ternary::kNo);
  EXPECT_EQ(can_view(spec_of({1, 6}, {99, 2}), spec_of({6})), Ternary::kYes);
}

TEST(Aliasing, ConversionsThatChangeNothingShare) {
  EXPECT_EQ(sharing("f32[4, 6] = aten.to.dtype(%x, f32)"), Sharing::kSame);
  EXPECT_EQ(sharing("f64[4, 6] = aten.to.dtype(%x, f64)"), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[4, 6] = aten.to.dtype(%x, f32, copy=True)"), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[4, 6] = aten.contiguous.default(%x)"), Sharing::kSame);
  EXPECT_EQ(sharing("f32[4, 6] = aten.contiguous.default(%x)", {1, 4}), Sharing::kFresh);
}

TEST(Aliasing, SchemasSayWhichResultsAreViews) {
  EXPECT_EQ(sharing("f32[6] = aten.select.int(%x, 0, 0)"), Sharing::kView);
  EXPECT_EQ(sharing("f32[2, 6] = aten.chunk.default(%x, 2)"), Sharing::kView);
  EXPECT_EQ(sharing("f32[24] = aten.reshape.default(%x, [24])"), Sharing::kView);
  EXPECT_EQ(sharing("f32[24] = aten.reshape.default(%x, [24])", {1, 4}), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[4, 6] = aten.relu.default(%x)"), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[4, 6] = aten.clone.default(%x)"), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[4, 6] = aten.index.Tensor(%x, [%i])"), Sharing::kFresh);
  EXPECT_EQ(sharing("f32[6, 4] = aten.einsum.default(\"ij->ji\", [%x])"), Sharing::kUnknown);
}

TEST(Promotion, FollowsCategoriesAndDimensions) {
  using enum DType;
  EXPECT_EQ(promote({{kFloat32, false}, {kFloat64, false}}), kFloat64);
  EXPECT_EQ(promote({{kFloat32, false}, {kFloat64, true}}), kFloat32);
  EXPECT_EQ(promote({{kInt32, false}, {kInt64, true}}), kInt32);
  EXPECT_EQ(promote({{kInt64, false}, {kFloat32, true}}), kFloat32);
  EXPECT_EQ(promote({{kUInt8, false}, {kInt8, false}}), kInt16);
  EXPECT_EQ(promote({{kFloat16, false}, {kBFloat16, false}}), kFloat32);
  EXPECT_EQ(promote({{kBool, false}, {kUInt8, false}}), kUInt8);
  EXPECT_EQ(promote({{kUInt32, false}, {kInt8, false}}), std::nullopt);
}

}  // namespace
}  // namespace changeaware
