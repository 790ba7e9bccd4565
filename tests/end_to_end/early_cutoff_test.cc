// Early cutoff: what is computed again with the same bits leaves its readers alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// The sign of x does not get past its tower.
constexpr const char* kSignIsLost = R"(graph(%x: f32[1, 64], %y: f32[1, 64]) {
  %wx = constant f32[64, 64] "x.weight"
  %wy = constant f32[64, 64] "y.weight"
  %wo = constant f32[64, 64] "out.weight"
  %a: f32[1, 64] = aten.abs.default(%x)
  %f: f32[1, 64] = aten.linear.default(%a, %wx)
  %g: f32[1, 64] = aten.linear.default(%y, %wy)
  %s: f32[1, 64] = aten.add.Tensor(%f, %g)
  %out: f32[1, 64] = aten.linear.default(%s, %wo)
  return (%out)
})";

Tensor negated(const Tensor& tensor) {
  Tensor out = Tensor::empty(tensor.dtype(), tensor.shape());
  auto* to = reinterpret_cast<float*>(out.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) to[i] = -tensor.data_as<float>()[i];
  return out;
}

Decision decision_of(const Report& report, const std::string& callable) {
  for (const Decision& d : report.decisions) {
    if (d.callable == callable) return d;
  }
  ADD_FAILURE() << "no " << callable;
  return {};
}

TEST(EarlyCutoff, AReaderOfTheSameBitsIsReused) {
  const Inputs inputs = {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}};
  const CompiledProgram program(kSignIsLost, inputs);
  const auto session = program.session();
  run(*session, inputs);
  Inputs changed = inputs;
  changed["x"] = negated(inputs.at("x"));
  const Response response = run(*session, changed);
  EXPECT_THAT(response.report.changed, ElementsAre("x"));
  EXPECT_THAT(response.report.ran, ElementsAre("segment_x"));
  EXPECT_THAT(response.report.reused, UnorderedElementsAre("segment_y", "segment_x+y"));
  EXPECT_EQ(decision_of(response.report, "segment_x+y").cause, Decision::Cause::kSameContents);
  expect_identical(response.outputs, program.full_run(changed));
}

TEST(EarlyCutoff, ASecondRequestWithThoseVersionsRunsNothing) {
  const Inputs inputs = {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}};
  const CompiledProgram program(kSignIsLost, inputs);
  const auto session = program.session();
  run(*session, inputs);
  Inputs changed = inputs;
  changed["x"] = negated(inputs.at("x"));
  run(*session, changed);
  run(*session, inputs);
  EXPECT_TRUE(run(*session, changed).report.ran.empty());
}

TEST(EarlyCutoff, FindsWhatAnEarlierRequestWithOtherPartnersComputed) {
  const CompiledProgram program(kSignIsLost, {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}});
  const auto session = program.session();
  const Tensor x = noise({1, 64}, 3);
  for (unsigned y : {4u, 5u, 6u}) run(*session, {{"x", x}, {"y", noise({1, 64}, y)}});
  const Inputs changed = {{"x", negated(x)}, {"y", noise({1, 64}, 4)}};
  const Response response = run(*session, changed);
  EXPECT_THAT(response.report.ran, ElementsAre("segment_x"));
  expect_identical(response.outputs, program.full_run(changed));
}

TEST(EarlyCutoff, CanBeTurnedOff) {
  const Inputs inputs = {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}};
  const CompiledProgram program(kSignIsLost, inputs);
  SessionOptions options;
  options.early_cutoff = false;
  auto session = *Session::create(program.package(), options);
  run(*session, inputs);
  Inputs changed = inputs;
  changed["x"] = negated(inputs.at("x"));
  EXPECT_THAT(run(*session, changed).report.ran, ElementsAre("segment_x", "segment_x+y"));
}

TEST(EarlyCutoff, ChangedBitsRunTheReader) {
  const Inputs inputs = {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}};
  const CompiledProgram program(kSignIsLost, inputs);
  const auto session = program.session();
  run(*session, inputs);
  Inputs changed = inputs;
  changed["x"] = noise({1, 64}, 9);
  EXPECT_THAT(run(*session, changed).report.ran, ElementsAre("segment_x", "segment_x+y"));
}

// -0.0 and 0.0 are equal and yet not the same: y / n tells them apart, y / p gets the same zero.
TEST(EarlyCutoff, NegativeZeroIsNotZero) {
  const CompiledProgram program(R"(graph(%x: f32[4], %y: f32[4]) {
    %n: f32[4] = aten.neg.default(%x)
    %p: f32[4] = aten.abs.default(%x)
    %a: f32[4] = aten.div.Tensor(%y, %n)
    return (%n, %a)
  })",
                                {{"x", noise({4}, 1)}, {"y", noise({4}, 2)}});
  const CompiledProgram folded(R"(graph(%x: f32[4], %y: f32[4]) {
    %p: f32[4] = aten.abs.default(%x)
    %b: f32[4] = aten.div.Tensor(%y, %p)
    return (%p, %b)
  })",
                               {{"x", noise({4}, 1)}, {"y", noise({4}, 2)}});
  const Inputs zero = {{"x", f32({4}, {0, 0, 0, 0})}, {"y", f32({4}, {1, 2, 3, 4})}};
  Inputs minus_zero = zero;
  minus_zero["x"] = negated(zero.at("x"));
  const float inf = std::numeric_limits<float>::infinity();

  const auto session = program.session();
  EXPECT_EQ(floats(run(*session, zero).outputs[1].tensor)[0], -inf);
  const Response ran = run(*session, minus_zero);
  EXPECT_THAT(ran.report.ran, Contains("segment_x+y"));
  EXPECT_EQ(floats(ran.outputs[1].tensor)[0], inf);

  const auto folded_session = folded.session();
  EXPECT_EQ(floats(run(*folded_session, zero).outputs[1].tensor)[0], inf);
  const Response reused = run(*folded_session, minus_zero);
  EXPECT_THAT(reused.report.ran, ElementsAre("segment_x"));
  EXPECT_EQ(floats(reused.outputs[1].tensor)[0], inf);
}

// An image region too large to be worth hashing against its small reader: nothing is cut off, and
// nothing is wrong.
TEST(EarlyCutoff, WhatIsDearToFingerprintAgainstItsReaderIsNot) {
  const CompiledProgram program(R"(graph(%x: f32[512, 512], %y: f32[1]) {
    %w = constant f32[512, 512] "w"
    %a: f32[512, 512] = aten.abs.default(%x)
    %f: f32[512, 512] = aten.linear.default(%a, %w)
    %r: f32[1, 512] = aten.slice.Tensor(%f, 0, 0, 1)
    %c: f32[1, 1] = aten.slice.Tensor(%r, 1, 0, 1)
    %out: f32[1, 1] = aten.add.Tensor(%c, %y)
    return (%f, %out)
  })",
                                {{"x", noise({512, 512}, 1)}, {"y", noise({1}, 2)}});
  const auto session = program.session();
  Inputs inputs = {{"x", noise({512, 512}, 3)}, {"y", noise({1}, 4)}};
  run(*session, inputs);
  inputs["x"] = negated(inputs.at("x"));
  const Response response = run(*session, inputs);
  expect_identical(response.outputs, program.full_run(inputs));
}

}  // namespace
}  // namespace changeaware::testing
