#include "runtime/planner/planner.h"

#include <gtest/gtest.h>

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;

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
  m.strategies = {{"monolithic", {"main"}, 0},
                  {"full_retention",
                   {"segment_image", "segment_text", "segment_check", "segment_image+text"},
                   0}};
  EXPECT_TRUE(m.validate().ok()) << m.validate().to_string();
  return m;
}

const Topology& topology() {
  static const Manifest manifest = sample();
  static const Topology t = make_topology(manifest, manifest.strategies[1]);
  return t;
}

std::vector<Outcome> outcomes(const PlanRequest& ask) {
  std::vector<Outcome> out;
  for (const PlanStep& step : make_plan(topology(), ask)) out.push_back(step.outcome);
  return out;
}

constexpr Outcome kRan = Outcome::kRan;
constexpr Outcome kReused = Outcome::kReused;
constexpr Outcome kNotNeeded = Outcome::kNotNeeded;

TEST(Planner, WithNothingRetainedEverythingRuns) {
  EXPECT_EQ(outcomes({{true, true, true}, true, {true, true}, {false, false, false, false}}),
            (std::vector{kRan, kRan, kRan, kRan}));
}

TEST(Planner, ARetainedResultNeedsNothingUpstream) {
  EXPECT_EQ(outcomes({{true, false, false}, false, {false, false}, {false, false, false, true}}),
            (std::vector{kNotNeeded, kNotNeeded, kNotNeeded, kReused}));
}

TEST(Planner, ARegionThatRunsNeedsWhatItReads) {
  EXPECT_EQ(outcomes({{true, true, false}, true, {true, false}, {false, true, true, false}}),
            (std::vector{kRan, kReused, kReused, kRan}));
}

TEST(Planner, AnUnwantedBranchDoesNotRun) {
  EXPECT_EQ(outcomes({{false, true, false}, false, {true, true}, {false, false, false, false}}),
            (std::vector{kNotNeeded, kRan, kNotNeeded, kNotNeeded}));
  EXPECT_EQ(outcomes({{false, false, true}, false, {true, true}, {false, false, false, false}}),
            (std::vector{kNotNeeded, kNotNeeded, kNotNeeded, kNotNeeded}));
}

TEST(Planner, SaysWhy) {
  const auto plan =
      make_plan(topology(), {{true, true, true}, true, {false, true}, {true, false, false, false}});
  EXPECT_EQ(plan[0].reason, "retained for these inputs");
  EXPECT_EQ(plan[1].reason, "text changed");
  const auto evicted = make_plan(
      topology(), {{true, false, false}, false, {false, false}, {false, true, false, false}});
  EXPECT_EQ(evicted[0].reason, "its inputs are unchanged, but its outputs are not retained");
  EXPECT_EQ(evicted[2].reason, "no wanted output and no region that runs reads it");
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
    PlanRequest ask;
    for (int i = 0; i < 3; ++i) ask.wanted.push_back((bits >> i) & 1);
    ask.all_assertions = (bits >> 3) & 1;
    ask.changed = {true, true};
    for (int i = 0; i < 4; ++i) ask.retained.push_back((bits >> (4 + i)) & 1);
    const auto plan = make_plan(t, ask);
    std::vector<bool> used(4, false);
    for (size_t i = 0; i < t.results.size(); ++i) {
      if (!ask.wanted[i] || t.results[i].source.is_input) continue;
      used[t.results[i].source.region] = true;
      ASSERT_NE(plan[t.results[i].source.region].outcome, kNotNeeded) << bits;
    }
    for (size_t r = 0; r < 4; ++r) {
      if (ask.all_assertions && !t.regions[r].assertions.empty()) used[r] = true;
      if (plan[r].outcome != kRan) continue;
      ASSERT_FALSE(ask.retained[r]) << bits;
      for (const Source& s : t.regions[r].inputs) {
        if (s.is_input) continue;
        used[s.region] = true;
        ASSERT_NE(plan[s.region].outcome, kNotNeeded) << bits;
      }
    }
    for (size_t r = 0; r < 4; ++r) ASSERT_EQ(used[r], plan[r].outcome != kNotNeeded) << bits;
  }
}

}  // namespace
}  // namespace changeaware
