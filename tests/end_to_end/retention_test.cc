// What is retained, under which budget, and that nobody can change it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// image and text towers of 64 KiB and 32 KiB results, and a small head.
constexpr const char* kTwoTowers = R"(graph(%image: f32[16, 1024], %text: f32[8, 1024]) {
  %wi = constant f32[1024, 1024] "image.weight"
  %wt = constant f32[1024, 1024] "text.weight"
  %bias = constant f32[1] {0.25}
  %ip: f32[16, 1024] = aten.linear.default(%image, %wi)
  %if: f32[16, 1024] = aten.add.Tensor(%ip, %bias)
  %tp: f32[8, 1024] = aten.linear.default(%text, %wt)
  %tf: f32[8, 1024] = aten.sub.Tensor(%tp, %bias)
  %out: f32[16, 8] = aten.linear.default(%if, %tf)
  return (%out)
})";
constexpr uint64_t kImageBytes = 16 * 1024 * 4;
constexpr uint64_t kTextBytes = 8 * 1024 * 4;

Inputs image_and_text(unsigned image) {
  return {{"image", noise({16, 1024}, image)}, {"text", noise({8, 1024}, 1000)}};
}

uint64_t runs_of(const Session& session, const std::string& callable) {
  const auto runs = session.stats().runs;
  const auto it = runs.find(callable);
  return it == runs.end() ? 0 : it->second;
}

// C3: the same text, images A, B, C, D, A, with room for k image tensors.
TEST(Retention, ImagesComeBackExactlyWhenThereWasRoom) {
  const CompiledProgram program(kTwoTowers, image_and_text(0));
  const struct {
    uint64_t room;
    uint64_t image_runs;
  } cases[] = {{0, 5}, {1, 5}, {2, 5}, {5, 4}};
  for (const auto& c : cases) {
    const auto session = program.session(kTextBytes + c.room * kImageBytes);
    for (unsigned image : {1u, 2u, 3u, 4u, 1u}) {
      const Inputs inputs = image_and_text(image);
      expect_identical(run(*session, inputs).outputs, program.full_run(inputs));
    }
    EXPECT_EQ(runs_of(*session, "segment_image"), c.image_runs) << "room for " << c.room;
    EXPECT_EQ(runs_of(*session, "segment_text"), 1u) << "room for " << c.room;
    EXPECT_LE(session->stats().retained_bytes_peak, kTextBytes + c.room * kImageBytes);
  }
}

// C8: alternation under pressure, an entry larger than the budget, budget zero.
TEST(Retention, TheBudgetHoldsWhateverHappens) {
  const CompiledProgram program(kTwoTowers, image_and_text(0));
  const Inputs a = image_and_text(1);
  const Inputs b = image_and_text(2);
  const auto expected_a = program.full_run(a);
  const auto expected_b = program.full_run(b);
  for (uint64_t budget : {uint64_t{0}, kTextBytes, kImageBytes, kImageBytes + kTextBytes}) {
    const auto session = program.session(budget);
    for (int i = 0; i < 50; ++i) {
      expect_identical(run(*session, i % 2 ? a : b).outputs, i % 2 ? expected_a : expected_b);
      ASSERT_LE(session->stats().retained_bytes, budget);
    }
    EXPECT_LE(session->stats().retained_bytes_peak, budget);
    session->clear();
    EXPECT_EQ(session->stats().retained_bytes, 0u);
  }
}

TEST(Retention, WhatIsTooLargeIsNotKeptAndTheReportSaysWhy) {
  const CompiledProgram program(kTwoTowers, image_and_text(0));
  const auto session = program.session(kImageBytes - 1);
  const auto why = [&](const std::string& strategy) {
    session->clear();
    const auto response = session->run({.inputs = image_and_text(1), .strategy = strategy});
    const auto& decisions = response->report.decisions;
    const auto it = std::find_if(decisions.begin(), decisions.end(),
                                 [](const Decision& d) { return d.callable == "segment_image"; });
    EXPECT_NE(it, decisions.end());
    EXPECT_FALSE(it->retained);
    return it->not_retained_why;
  };
  EXPECT_THAT(why("full_retention"), HasSubstr("65536 bytes are more than the budget of 65535"));
  EXPECT_EQ(why(""), "the strategy retains nothing of it") << "one was taken that fits";
}

// C4: a consumer adds into an expanded view of the retained features.
TEST(Retention, ARetainedTensorIsNotChangedByItsConsumer) {
  const CompiledProgram program(R"(graph(%image: f32[1, 1024], %prompts: f32[s0, 1024]) {
    %w = constant f32[1024, 1024] "encoder.weight"
    %one = constant f32[1] {1}
    %p: f32[1, 1024] = aten.linear.default(%image, %w)
    %f: f32[1, 1024] = aten.add.Tensor(%p, %one)
    %n: sym(s0) = aten.sym_size.int(%prompts, 0)
    %e: f32[s0, 1024] = aten.expand.default(%f, [%n, 1024])
    %c: f32[s0, 1024] = aten.clone.default(%e)
    %s: f32[s0, 1024] = aten.add_.Tensor(%c, %prompts)
    return (%s)
  })",
                                {{"image", noise({1, 1024}, 1)}, {"prompts", noise({2, 1024}, 2)}});
  const auto session = program.session();
  const Tensor image = noise({1, 1024}, 3);
  for (int64_t n : {1, 3, 2, 1}) {
    const Inputs inputs = {{"image", image},
                           {"prompts", noise({n, 1024}, static_cast<unsigned>(10 + n))}};
    expect_identical(run(*session, inputs).outputs, program.full_run(inputs));
  }
  EXPECT_EQ(runs_of(*session, "segment_image"), 1u);
}

// C5: identity is content, not address.
TEST(Retention, TheCallerMayRewriteItsInputBuffer) {
  const CompiledProgram program(R"(graph(%x: f32[1]) {
    %two = constant f32[1] {2}
    %y: f32[1] = aten.mul.Tensor(%x, %two)
    return (%y)
  })",
                                {{"x", f32({1}, {3})}});
  const auto session = program.session();
  float buffer = 1;
  const Inputs inputs = {{"x", Tensor::borrow(DType::kFloat32, {1}, {}, &buffer, nullptr)}};
  EXPECT_EQ(floats(run(*session, inputs).outputs[0].tensor), std::vector<float>{2});
  buffer = 5;
  EXPECT_EQ(floats(run(*session, inputs).outputs[0].tensor), std::vector<float>{10});
}

TEST(Retention, OutputsNeverAliasWhatIsRetainedNorEachOther) {
  const CompiledProgram program(R"(graph(%x: f32[64], %y: f32[64]) {
    %k = constant f32[64] "k"
    %a: f32[64] = aten.cos.default(%x)
    %b: f32[64] = aten.add.Tensor(%a, %y)
    return (%a, %b, %a, %x, %k)
  })",
                                {{"x", noise({64}, 1)}, {"y", noise({64}, 2)}});
  for (uint64_t budget : {uint64_t{0}, uint64_t{1} << 20}) {
    const auto session = program.session(budget);
    const Inputs inputs = {{"x", noise({64}, 1)}, {"y", noise({64}, 2)}};
    const auto expected = program.full_run(inputs);
    for (int round = 0; round < 3; ++round) {
      const Response response = run(*session, inputs);
      expect_identical(response.outputs, expected);
      for (const OutputValue& o : response.outputs)
        std::memset(o.tensor.mutable_data(), 0x7f, o.tensor.size_bytes());
      expect_identical(run(*session, inputs).outputs, expected);
    }
    EXPECT_TRUE(bit_identical(inputs.at("x"), noise({64}, 1)))
        << "the input is not an output's storage";
  }
}

// C1: the same bytes in another shape, another dtype.
TEST(Retention, EqualBytesOfAnotherShapeAreAnotherVersion) {
  const CompiledProgram program(R"(graph(%x: f32[s0, s1]) {
    %y: f32[s1] = aten.sum.dim_IntList(%x, [0])
    return (%y)
  })",
                                {{"x", noise({2, 3}, 1)}});
  const auto session = program.session();
  EXPECT_EQ(floats(run(*session, {{"x", f32({2, 3}, {0, 1, 2, 3, 4, 5})}}).outputs[0].tensor),
            (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(floats(run(*session, {{"x", f32({3, 2}, {0, 1, 2, 3, 4, 5})}}).outputs[0].tensor),
            (std::vector<float>{6, 9}));
  const auto wrong = session->run(
      {.inputs = {{"x", Tensor::of(DType::kInt32, {2, 3}, std::vector<int32_t>(6, 0))}}});
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(wrong.status().message(), HasSubstr("input 'x' is int32 [2, 3]"));
}

// R12: the same values in another layout are the same version.
TEST(Retention, LayoutDoesNotMatter) {
  const CompiledProgram program(kTwoTowers, image_and_text(0));
  const auto session = program.session();
  Inputs inputs = image_and_text(1);
  const auto expected = run(*session, inputs).outputs;
  Tensor transposed = Tensor::empty(DType::kFloat32, {1024, 16});
  for (int64_t r = 0; r < 16; ++r) {
    for (int64_t c = 0; c < 1024; ++c) {
      reinterpret_cast<float*>(transposed.mutable_data())[c * 16 + r] =
          inputs["image"].data_as<float>()[r * 1024 + c];
    }
  }
  inputs["image"] = *Tensor::view(DType::kFloat32, {16, 1024}, {1, 16}, 0, transposed.storage());
  const Response hit = run(*session, inputs);
  EXPECT_THAT(hit.report.ran, IsEmpty());
  EXPECT_THAT(hit.report.changed, Not(Contains("image")));
  const auto full = session->run({.inputs = inputs, .reuse = false});
  ASSERT_TRUE(full.ok());
  expect_identical(full->outputs, expected);
}

}  // namespace
}  // namespace changeaware::testing
