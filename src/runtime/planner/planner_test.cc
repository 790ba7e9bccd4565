#include "runtime/planner/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "runtime/planner/cost_model.h"
#include "runtime/planner/forecast.h"

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;
using Cause = Decision::Cause;
using ::testing::HasSubstr;

Port port(const std::string& name) { return {name, DType::kFloat32, {"1"}}; }

// image -> f; text -> t; f, t -> y; t, check text > 0 -> assertion; results: y, t, image.
Manifest sample() {
  Manifest m;
  m.inputs = {{port("image"), ""}, {port("text"), ""}};
  m.callables = {
      {.name = "main",
       .dependencies = {"image", "text"},
       .inputs = {port("image"), port("text")},
       .outputs = {port("y"), port("t")}},
      {.name = "segment_image",
       .dependencies = {"image"},
       .inputs = {port("image")},
       .outputs = {port("f")}},
      {.name = "segment_text",
       .dependencies = {"text"},
       .inputs = {port("text")},
       .outputs = {port("t")}},
      {.name = "segment_check",
       .dependencies = {"text"},
       .inputs = {port("text")},
       .outputs = {},
       .assertions = {"text > 0"}},
      {.name = "segment_image+text",
       .dependencies = {"image", "text"},
       .inputs = {port("f"), port("t")},
       .outputs = {port("y")}},
  };
  m.outputs = {{.name = "y", .port = port("y")},
               {.name = "t", .port = port("t")},
               {.name = "image", .port = port("image")}};
  for (Callable& c : m.callables) c.identity = std::string(64, '0');
  m.strategies = {
      {.name = "monolithic", .callables = {"main"}},
      {.name = "full_retention",
       .callables = {"segment_image", "segment_text", "segment_check", "segment_image+text"}}};
  EXPECT_TRUE(m.validate().ok()) << m.validate().to_string();
  return m;
}

const Topology& topology() {
  static const Manifest manifest = sample();
  static const Topology t = make_topology(manifest, manifest.strategies[1].callables);
  return t;
}

// Bits of inputs: image = 1, text = 2. Each region has one output but the check, which has none.
PlanRequest ask(std::vector<bool> wanted, bool all_assertions, uint64_t changed,
                std::vector<uint8_t> present) {
  PlanRequest out;
  out.wanted = std::move(wanted);
  out.all_assertions = all_assertions;
  out.changed = {changed};
  out.available = {present[0], present[1], present[3]};
  out.present = std::move(present);
  out.evicted.assign(4, 0);
  out.loaded.assign(4, 1);
  return out;
}

constexpr RegionCost kCosts[] = {
    {100, 150, 1000, 50}, {10, 20, 500, 60}, {1, 2, 50, 10}, {30, 40, 300, 20}};
constexpr StrategyOffer kOffers[] = {{0, 50}, {1000, 20}, {4000, 10}};

Result<PlanChoice> plan(const PlanRequest& request, Budgets budgets = {},
                        std::optional<size_t> forced = std::nullopt) {
  return make_plan(topology(), kOffers, request, kCosts, budgets, forced);
}

std::vector<Outcome> outcomes(const PlanRequest& request) {
  std::vector<Outcome> out;
  const auto choice = plan(request);
  for (const PlanStep& step : choice->steps) out.push_back(step.outcome);
  return out;
}

constexpr Outcome kRan = Outcome::kRan;
constexpr Outcome kReused = Outcome::kReused;
constexpr Outcome kNotNeeded = Outcome::kNotNeeded;

TEST(Planner, WithNothingRetainedEverythingRuns) {
  EXPECT_EQ(outcomes(ask({true, true, true}, true, 3, {0, 0, 0, 0})),
            (std::vector{kRan, kRan, kRan, kRan}));
}

TEST(Planner, ARetainedResultNeedsNothingUpstream) {
  EXPECT_EQ(outcomes(ask({true, false, false}, false, 0, {0, 0, 0, 1})),
            (std::vector{kNotNeeded, kNotNeeded, kNotNeeded, kReused}));
}

TEST(Planner, ARegionThatRunsNeedsWhatItReads) {
  EXPECT_EQ(outcomes(ask({true, true, false}, true, 1, {0, 1, 1, 0})),
            (std::vector{kRan, kReused, kReused, kRan}));
}

TEST(Planner, AnUnwantedBranchDoesNotRun) {
  EXPECT_EQ(outcomes(ask({false, true, false}, false, 3, {0, 0, 0, 0})),
            (std::vector{kNotNeeded, kRan, kNotNeeded, kNotNeeded}));
  EXPECT_EQ(outcomes(ask({false, false, true}, false, 3, {0, 0, 0, 0})),
            (std::vector{kNotNeeded, kNotNeeded, kNotNeeded, kNotNeeded}));
}

TEST(Planner, AnEntryWithoutTheDemandedOutputDoesNotServe) {
  PlanRequest request = ask({true, false, false}, false, 2, {1, 1, 0, 0});
  request.available[0] = 0;
  const auto choice = plan(request);
  EXPECT_EQ(choice->steps[0].outcome, kRan);
  EXPECT_EQ(choice->steps[0].cause, Cause::kNotRetained);
  EXPECT_EQ(choice->steps[1].outcome, kReused);
}

TEST(Planner, WithoutReuseEverythingDemandedRuns) {
  PlanRequest request = ask({true, true, true}, true, 0, {1, 1, 1, 1});
  request.reuse = false;
  EXPECT_EQ(outcomes(request), (std::vector{kRan, kRan, kRan, kRan}));
  EXPECT_EQ(plan(request)->steps[0].cause, Cause::kNoReuse);
}

TEST(Planner, SaysWhy) {
  const auto text = [&](const PlanRequest& request, size_t r) {
    return cause_text(topology(), topology().regions[r], plan(request)->steps[r].cause,
                      request.changed);
  };
  PlanRequest request = ask({true, true, true}, true, 2, {1, 0, 0, 0});
  EXPECT_EQ(text(request, 0), "retained for these inputs");
  EXPECT_EQ(text(request, 1), "text changed");
  request = ask({true, false, false}, false, 0, {0, 1, 0, 0});
  EXPECT_EQ(text(request, 0), "its inputs are unchanged, but what is needed is not retained");
  EXPECT_EQ(text(request, 2), "no wanted output and no region that runs reads it");
  request.evicted[0] = 1;
  EXPECT_EQ(text(request, 0), "what is needed was retained and had to make room");
}

TEST(Planner, PredictsRunningAndLoading) {
  PlanRequest request = ask({true, false, false}, false, 1, {0, 1, 0, 0});
  EXPECT_DOUBLE_EQ(plan(request)->predicted_us, 100 + 30);
  EXPECT_DOUBLE_EQ(plan(request)->predicted_load_us, 0);
  request.loaded[0] = 0;
  EXPECT_DOUBLE_EQ(plan(request)->predicted_us, 1000 + 150 + 30);
  EXPECT_DOUBLE_EQ(plan(request)->predicted_load_us, 1000);
}

TEST(Planner, TakesTheBestForecastThatFitsIntoTheRetainedBudget) {
  const PlanRequest request = ask({true, true, true}, true, 1, {0, 0, 0, 0});
  EXPECT_EQ(plan(request)->strategy, 2u);
  EXPECT_EQ(plan(request, {.retained_bytes = 3999})->strategy, 1u);
  EXPECT_EQ(plan(request, {.retained_bytes = 999})->strategy, 0u);
  EXPECT_EQ(plan(request, {.retained_bytes = 3999}, 2)->strategy, 2u);
}

TEST(Planner, OfEqualForecastsTheOneThatRetainsLessAndOfNoneThatFitsTheSmallest) {
  const StrategyOffer equal[] = {{3000, 10}, {2000, 10}, {1000, 11}};
  const PlanRequest request = ask({true, true, true}, true, 1, {0, 0, 0, 0});
  EXPECT_EQ(make_plan(topology(), equal, request, kCosts, {})->strategy, 1u);
  EXPECT_EQ(make_plan(topology(), equal, request, kCosts, {.retained_bytes = 1})->strategy, 2u);
}

TEST(Planner, ACallableBeyondTheResidentBudgetIsNamed) {
  const PlanRequest request = ask({true, true, true}, true, 1, {1, 0, 0, 0});
  const auto refused = plan(request, {.resident_bytes = 59});
  EXPECT_EQ(refused.status().code(), StatusCode::kOverBudget);
  EXPECT_THAT(refused.status().message(), HasSubstr("'segment_text' needs 60 resident bytes"));
  EXPECT_TRUE(plan(request, {.resident_bytes = 60}).ok());
  // What does not run need not fit.
  EXPECT_TRUE(plan(ask({true, true, true}, true, 1, {1, 1, 1, 0}), {.resident_bytes = 20}).ok());
}

TEST(Planner, NeedsOnlyTheInputsOfTheWantedResults) {
  EXPECT_EQ(needed_inputs(topology(), {true, false, false}, false), (std::vector{true, true}));
  EXPECT_EQ(needed_inputs(topology(), {false, true, false}, false), (std::vector{false, true}));
  EXPECT_EQ(needed_inputs(topology(), {false, false, true}, false), (std::vector{true, false}));
  EXPECT_EQ(needed_inputs(topology(), {false, false, true}, true), (std::vector{true, true}));
}

// Every combination: what runs has its inputs at hand, and nothing runs whose result nobody uses.
TEST(Planner, EveryPlanIsCompleteAndMinimal) {
  const Topology& t = topology();
  for (unsigned bits = 0; bits < (1u << 8); ++bits) {
    const auto bit = [&](int i) { return (bits >> i & 1) != 0; };
    const PlanRequest request =
        ask({bit(0), bit(1), bit(2)}, bit(3), 3, {bit(4), bit(5), bit(6), bit(7)});
    const auto steps = plan(request)->steps;
    std::vector<bool> used(4, false);
    for (size_t i = 0; i < t.results.size(); ++i) {
      if (!request.wanted[i] || t.results[i].source.is_input) continue;
      used[t.results[i].source.region] = true;
      ASSERT_NE(steps[t.results[i].source.region].outcome, kNotNeeded) << bits;
    }
    for (size_t r = 0; r < 4; ++r) {
      if (request.all_assertions && !t.regions[r].assertions.empty()) used[r] = true;
      if (steps[r].outcome != kRan) continue;
      ASSERT_FALSE(request.present[r]) << bits;
      for (const Source& s : t.regions[r].inputs) {
        if (s.is_input) continue;
        used[s.region] = true;
        ASSERT_NE(steps[s.region].outcome, kNotNeeded) << bits;
      }
    }
    for (size_t r = 0; r < 4; ++r) ASSERT_EQ(used[r], steps[r].outcome != kNotNeeded) << bits;
  }
}

TEST(CostModel, StartsFromThePackageAndFollowsWhatIsObserved) {
  Manifest m = sample();
  m.callables[1].costs = {.steady_us = 100, .cold_us = 200, .load_us = 5000, .resident_bytes = 7};
  CostModel costs(m);
  EXPECT_DOUBLE_EQ(costs.cost(1).warm_us, 100);
  EXPECT_EQ(costs.cost(1).resident_bytes, 7u);
  costs.observe_run(1, 50, false);  // the first observation of this machine counts in full
  EXPECT_DOUBLE_EQ(costs.cost(1).warm_us, 50);
  EXPECT_DOUBLE_EQ(costs.cost(1).cold_us, 200);
  costs.observe_run(1, 60, false);
  EXPECT_DOUBLE_EQ(costs.cost(1).warm_us, 0.7 * 50 + 0.3 * 60);
  costs.observe_run(1, 400, true);
  EXPECT_DOUBLE_EQ(costs.cost(1).cold_us, 400);
  costs.observe_load(1, 10);
  EXPECT_DOUBLE_EQ(costs.cost(1).load_us, 10);
}

// Strategies that keep only the image's features, or only the text's.
Manifest two_strategies() {
  Manifest m = sample();
  m.callables[1].costs.steady_us = 100;
  m.callables[2].costs.steady_us = 90;
  m.callables[4].costs.steady_us = 5;
  m.strategies = {{.name = "keep_image", .callables = m.strategies[1].callables, .retained = {"f"}},
                  {.name = "keep_text", .callables = m.strategies[1].callables, .retained = {"t"}}};
  return m;
}

TEST(Forecast, FollowsWhatChanges) {
  const Manifest m = two_strategies();
  const Recipe recipe(m, m.strategies[0].callables);
  Forecast forecast(m, recipe, {0, 1});
  const CostModel costs(m);
  // Before the first request both inputs are equally likely: keeping the dearer one pays more.
  EXPECT_LT(forecast.offers()[0].forecast_us, forecast.offers()[1].forecast_us);
  for (int i = 0; i < 20; ++i) forecast.record({true, false}, costs);
  EXPECT_GT(forecast.offers()[0].forecast_us, forecast.offers()[1].forecast_us);
  for (int i = 0; i < 20; ++i) forecast.record({false, true}, costs);
  EXPECT_LT(forecast.offers()[0].forecast_us, forecast.offers()[1].forecast_us);
}

TEST(Forecast, IsTheCostOfWhatRunsWhenOneThingAlwaysChanges) {
  const Manifest m = two_strategies();
  const Recipe recipe(m, m.strategies[0].callables);
  Forecast forecast(m, recipe, {0, 1});
  const CostModel costs(m);
  for (int i = 0; i < 200; ++i) forecast.record({true, false}, costs);
  // keep_text: image side and head, 105; with a twentieth of the mean over single inputs, where a
  // change of the text runs everything.
  EXPECT_NEAR(forecast.offers()[1].forecast_us, 105 + 0.05 * (105 + 195) / 2, 1e-6);
}

TEST(Forecast, ARequestWithoutChangesIsNoNews) {
  const Manifest m = two_strategies();
  const Recipe recipe(m, m.strategies[0].callables);
  Forecast forecast(m, recipe, {0, 1});
  const double before = forecast.offers()[0].forecast_us;
  forecast.record({false, false}, CostModel(m));
  EXPECT_EQ(forecast.offers()[0].forecast_us, before);
}

TEST(Forecast, ManyDifferentChangesKeepItsWeightsSane) {
  const Manifest m = two_strategies();
  const Recipe recipe(m, m.strategies[0].callables);
  Forecast forecast(m, recipe, {0, 1});
  const CostModel costs(m);
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    forecast.record({random() % 2 == 0, random() % 2 == 0}, costs);
    for (const StrategyOffer& offer : forecast.offers()) {
      ASSERT_GT(offer.forecast_us, 0);
      ASSERT_LT(offer.forecast_us, 1.05 * 195 + 1);
    }
  }
}

}  // namespace
}  // namespace changeaware
