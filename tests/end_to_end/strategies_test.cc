// Strategies: which are offered, what each runs, and how one is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The image's features are thin (4 KiB) before they are made wide (1 MiB); the text's are 4 KiB.
// Making them wide is cheap against making them.
constexpr const char* kThinThenWide = R"(graph(%image: f32[64, 1024], %text: f32[1, 1024]) {
  %w1 = constant f32[1024, 1024] "image.1"
  %w2 = constant f32[1024, 1024] "image.2"
  %w3 = constant f32[16, 1024] "image.3"
  %w4 = constant f32[4096, 16] "image.4"
  %wt = constant f32[4096, 1024] "text.1"
  %a: f32[64, 1024] = aten.linear.default(%image, %w1)
  %b: f32[64, 1024] = aten.relu.default(%a)
  %c: f32[64, 1024] = aten.linear.default(%b, %w2)
  %d: f32[64, 16] = aten.linear.default(%c, %w3)
  %e: f32[64, 4096] = aten.linear.default(%d, %w4)
  %t: f32[1, 4096] = aten.linear.default(%text, %wt)
  %s: f32[64, 4096] = aten.mul.Tensor(%e, %t)
  %out: f32[64] = aten.sum.dim_IntList(%s, [1])
  return (%out)
})";
constexpr uint64_t kWide = 64 * 4096 * 4;
constexpr uint64_t kThin = 64 * 16 * 4;
constexpr uint64_t kText = 4096 * 4;

Inputs inputs(unsigned image, unsigned text) {
  return {{"image", noise({64, 1024}, image)}, {"text", noise({1, 1024}, text)}};
}

const CompiledProgram& thin_then_wide() {
  static const CompiledProgram program(kThinThenWide, inputs(0, 0));
  return program;
}

const Strategy& strategy(const Manifest& manifest, const std::string& name) {
  for (const Strategy& s : manifest.strategies) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << "no strategy " << name;
  return manifest.strategies.front();
}

TEST(Strategies, TradeRetainedBytesAgainstRecomputation) {
  const Manifest& m = thin_then_wide().package()->manifest();
  EXPECT_EQ(m.strategies.front().name, "monolithic");
  EXPECT_EQ(strategy(m, "full_retention").retained_bytes, kWide + kText);
  const bool has_thin =
      std::any_of(m.strategies.begin(), m.strategies.end(),
                  [](const Strategy& s) { return s.retained_bytes == kThin + kText; });
  EXPECT_TRUE(has_thin) << "the thin image features and the text's";
  EXPECT_GT(m.strategy_candidates, m.strategies.size());
  EXPECT_TRUE(m.verified);
}

TEST(Strategies, AllRunTheSameSegments) {
  const Manifest& m = thin_then_wide().package()->manifest();
  for (size_t s = 2; s < m.strategies.size(); ++s)
    EXPECT_EQ(m.strategies[s].callables, m.strategies[1].callables);
}

// What a strategy runs when given inputs changed is what the manifest says, and right.
TEST(Strategies, RunWhatTheManifestSaysAndAgreeWithFullRuns) {
  const Manifest& m = thin_then_wide().package()->manifest();
  for (const Strategy& s : m.strategies) {
    ASSERT_FALSE(s.mask_costs.empty());
    for (const MaskCost& mask : s.mask_costs) {
      const auto session = thin_then_wide().session();
      const auto ask = [&](Inputs values) {
        auto answer = session->run({.inputs = std::move(values), .strategy = s.name});
        EXPECT_TRUE(answer.ok()) << answer.status().to_string();
        return *std::move(answer);
      };
      ask(inputs(1, 1));
      Inputs changed = inputs(1, 1);
      for (const std::string& name : mask.changed) changed[name] = inputs(2, 2).at(name);
      const Response response = ask(changed);
      EXPECT_EQ(response.report.ran, mask.runs) << s.name;
      EXPECT_EQ(response.report.strategy, s.name);
      EXPECT_LE(session->stats().retained_bytes, 2 * (s.retained_bytes + 64 * 4))
          << "two versions, with their results";
      const auto full = session->run({.inputs = changed, .strategy = s.name, .reuse = false});
      ASSERT_TRUE(full.ok());
      expect_identical(response.outputs, full->outputs);
    }
  }
}

TEST(Strategies, ASmallBudgetTakesAThinnerCut) {
  const auto session = thin_then_wide().session(kThin + kText + 4096);
  run(*session, inputs(1, 1));
  const Response response = run(*session, inputs(1, 2));
  EXPECT_EQ(
      strategy(thin_then_wide().package()->manifest(), response.report.strategy).retained_bytes,
      kThin + kText);
  EXPECT_THAT(response.report.reused, Contains("segment_image"));
  EXPECT_THAT(response.report.ran, Contains("segment_image_2")) << "makes the features wide again";
  expect_identical(response.outputs, thin_then_wide().full_run(inputs(1, 2)));
  EXPECT_LE(session->stats().retained_bytes_peak, kThin + kText + 4096);
}

TEST(Strategies, ARoomyBudgetKeepsTheWholeFrontier) {
  const auto session = thin_then_wide().session();
  run(*session, inputs(1, 1));
  const Response response = run(*session, inputs(1, 2));
  EXPECT_EQ(response.report.strategy, "full_retention");
  EXPECT_THAT(response.report.ran, ::testing::ElementsAre("segment_text", "segment_image+text"));
}

// What depends on no input never changes: every strategy retains it, and it runs once.
TEST(Strategies, AllRetainWhatDependsOnNothing) {
  const CompiledProgram program(R"(graph(%x: f32[4], %y: f32[4]) {
    %k = constant f32[4] {1, 2, 3, 4}
    %c: f32[4] = aten.cos.default(%k)
    %s: f32[4] = aten.add.Tensor(%x, %y)
    return (%s, %c)
  })",
                                {{"x", noise({4}, 1)}, {"y", noise({4}, 2)}});
  for (const Strategy& s : program.package()->manifest().strategies) {
    if (s.name == "monolithic") continue;
    EXPECT_THAT(s.retained, Contains("c")) << s.name;
  }
  const auto session = program.session();
  for (unsigned i = 0; i < 3; ++i) run(*session, {{"x", noise({4}, i)}, {"y", noise({4}, i)}});
  EXPECT_EQ(session->stats().runs.at("segment_constant"), 1u);
}

// Budgets that come and go: strategies change from request to request, answers do not.
TEST(Strategies, MayChangeBetweenRequests) {
  const auto session = thin_then_wide().session();
  std::mt19937 random(7);
  const uint64_t budgets[] = {0, kText, kThin + kText + 600, kWide, 8 * kWide};
  std::set<std::string> used;
  for (int i = 0; i < 60; ++i) {
    if (i % 3 == 0) session->set_budgets(budgets[random() % 5], UINT64_MAX);
    const Inputs values = inputs(random() % 3, random() % 3);
    const Response response = run(*session, values);
    used.insert(response.report.strategy);
    expect_identical(response.outputs, thin_then_wide().full_run(values));
  }
  EXPECT_GE(used.size(), 3u);
}

TEST(Strategies, AnUnknownOneIsRefusedAndTheKnownOnesAreListed) {
  const auto answer =
      thin_then_wide().session()->run({.inputs = inputs(1, 1), .strategy = "retain_most"});
  EXPECT_EQ(answer.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(answer.status().message(), HasSubstr("no strategy 'retain_most'"));
  EXPECT_THAT(answer.status().message(), HasSubstr("the strategies are: monolithic, "));
}

// The resident budget: callables are released for others, and one that is too large is named.
TEST(Strategies, TheResidentBudgetIsHard) {
  const Manifest& m = thin_then_wide().package()->manifest();
  uint64_t largest = 0;
  for (size_t c = 1; c < m.callables.size(); ++c)
    largest = std::max(largest, m.callables[c].costs.resident_bytes);
  SessionOptions options;
  options.resident_budget_bytes = 2 * largest;  // loading takes up to twice as much
  // Its own package, so that no other session has loaded anything.
  const auto session = *Session::create(*Package::open(thin_then_wide().path()), options);
  for (unsigned i = 0; i < 4; ++i) {
    const Response response = run(*session, inputs(i, i));
    EXPECT_LE(session->stats().resident_bytes, 2 * largest);
    expect_identical(response.outputs, thin_then_wide().full_run(inputs(i, i)));
  }
  EXPECT_LE(session->stats().resident_bytes_peak, 2 * largest);
  EXPECT_GT(session->stats().unloads, 0u);
  session->set_budgets(1 << 30, 1000);
  const auto refused = session->run({.inputs = inputs(9, 9)});
  EXPECT_EQ(refused.status().code(), StatusCode::kOverBudget);
  EXPECT_THAT(refused.status().message(), HasSubstr("callable 'segment_image' needs"));
}

}  // namespace
}  // namespace changeaware::testing
