// One weight used in several ways gives what each use would give alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/openvino/test_support.h"

namespace changeaware::ovn {
namespace {

constexpr int64_t kSize = 64;

Tensor noise(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  Tensor out = Tensor::empty(DType::kFloat32, std::move(shape));
  auto* data = reinterpret_cast<float*>(out.mutable_data());
  for (int64_t i = 0; i < out.numel(); ++i) data[i] = static_cast<float>(random() % 1000) / 500 - 1;
  return out;
}

// x w^T or x w, row by row.
std::vector<double> product(const Tensor& x, const Tensor& w, bool transposed) {
  std::vector<double> out(static_cast<size_t>(kSize * kSize), 0);
  for (int64_t r = 0; r < kSize; ++r) {
    for (int64_t c = 0; c < kSize; ++c) {
      for (int64_t k = 0; k < kSize; ++k) {
        const int64_t at = transposed ? c * kSize + k : k * kSize + c;
        out[static_cast<size_t>(r * kSize + c)] +=
            double{x.data_as<float>()[r * kSize + k]} * double{w.data_as<float>()[at]};
      }
    }
  }
  return out;
}

void expect_products(const std::string& nodes, const std::string& outputs,
                     const std::vector<bool>& transposed) {
  auto graph = parse_graph("graph(%x: f32[64, 64]) {\n%w = constant f32[64, 64] \"w\"\n" + nodes +
                           "return (" + outputs + ")\n}");
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  const Tensor w = noise({kSize, kSize}, 1);
  std::copy(w.data(), w.data() + w.size_bytes(), graph->constants()[0].tensor.mutable_data());
  const auto executable = test_engine().compile(*graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Tensor> inputs = {noise({kSize, kSize}, 2)};
  std::vector<Tensor> results(transposed.size());
  ASSERT_TRUE((*executable)->run(inputs, results).ok());
  for (size_t i = 0; i < results.size(); ++i) {
    const Numbers expected{"f32[64, 64]", product(inputs[0], w, transposed[i])};
    EXPECT_TRUE(matches(results[i], expected)) << "result " << i;
  }
}

TEST(WeightCopies, ASquareWeightMayBeReadBothWays) {
  expect_products(
      "%a: f32[64, 64] = aten.linear.default(%x, %w)\n"
      "%b: f32[64, 64] = aten.matmul.default(%x, %w)\n",
      "%a, %b", {true, false});
}

TEST(WeightCopies, ATransposedViewIsTheOtherWay) {
  expect_products(
      "%t: f32[64, 64] = aten.t.default(%w)\n"
      "%a: f32[64, 64] = aten.mm.default(%x, %w)\n"
      "%b: f32[64, 64] = aten.mm.default(%x, %t)\n"
      "%c: f32[64, 64] = aten.linear.default(%x, %t)\n"
      "%d: f32[64, 64] = aten.linear.default(%x, %w)\n",
      "%a, %b, %c, %d", {false, true, false, true});
}

TEST(WeightCopies, APermutedViewOfHigherRankIsTheOtherWay) {
  expect_products(
      "%u: f32[1, 64, 64] = aten.unsqueeze.default(%w, 0)\n"
      "%p: f32[1, 64, 64] = aten.permute.default(%u, [0, 2, 1])\n"
      "%s: f32[64, 64] = aten.reshape.default(%p, [64, 64])\n"
      "%a: f32[64, 64] = aten.mm.default(%x, %s)\n"
      "%b: f32[64, 64] = aten.mm.default(%x, %w)\n",
      "%a, %b", {true, false});
}

}  // namespace
}  // namespace changeaware::ovn
