#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "package/manifest_json.h"

namespace changeaware {
namespace {

using ::testing::HasSubstr;

Port port(const std::string& name) { return {name, DType::kFloat32, {"2", "s0"}}; }

Manifest sample() {
  Manifest m;
  m.engine_name = "openvino";
  m.inputs = {{port("a"), ""}, {port("b"), ""}, {{"flag", DType::kInt64, {}}, "True"}};
  m.outputs.push_back({.name = "out", .kind = ProgramOutput::Kind::kPort, .port = port("y")});
  m.outputs.push_back({.name = "again", .kind = ProgramOutput::Kind::kPort, .port = port("y")});
  m.outputs.push_back({.name = "input", .kind = ProgramOutput::Kind::kPort, .port = port("a")});
  m.outputs.push_back({.name = "none", .kind = ProgramOutput::Kind::kNone});
  m.outputs.push_back({.name = "three", .kind = ProgramOutput::Kind::kInt, .int_value = 3});
  m.outputs.push_back({.name = "inf",
                       .kind = ProgramOutput::Kind::kFloat,
                       .float_value = std::numeric_limits<double>::infinity()});
  m.symbols = {{"s0", 2, INT64_MAX}};
  m.callables = {
      {.name = "main",
       .dependencies = {"a", "b"},
       .inputs = {port("a"), port("b")},
       .outputs = {port("y")}},
      {.name = "segment_a",
       .dependencies = {"a"},
       .inputs = {port("a")},
       .outputs = {port("x")},
       .assertions = {"a > 0"},
       .weight_bytes = 12,
       .node_count = 2},
      {.name = "segment_a+b",
       .dependencies = {"a", "b"},
       .shape_dependencies = {},
       .inputs = {port("b"), port("x")},
       .outputs = {port("y")}},
  };
  for (Callable& c : m.callables) c.identity = std::string(64, 'a');
  m.callables[1].costs = {10.5, 12, 30, 1000, 4096};
  m.strategies = {{.name = "monolithic", .callables = {"main"}, .bits_of_main = true},
                  {.name = "full_retention",
                   .callables = {"segment_a", "segment_a+b"},
                   .retained = {"x", "y"},
                   .retained_bytes = 32,
                   .resident_bytes = 4096,
                   .mask_costs = {{{"b"}, {"segment_a+b"}, 1.5, 2},
                                  {{"a", "b"}, {"segment_a", "segment_a+b"}, 12, 14}},
                   .difference_from_main = "y differs"}};
  m.strategy_candidates = 7;
  m.costs_are_measured = true;
  m.tolerance = {0.5, 0.25, 0};
  m.rejections = {{"segment_b", "tiny"}};
  return m;
}

TEST(Manifest, WhatIsWrittenReadsBack) {
  const Manifest m = sample();
  ASSERT_TRUE(m.validate().ok()) << m.validate().to_string();
  const std::string text = manifest_to_json(m);
  auto back = manifest_from_json(text);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_EQ(manifest_to_json(*back), text);
  EXPECT_EQ(back->callables[1].assertions, (std::vector<std::string>{"a > 0"}));
  EXPECT_EQ(back->inputs[2].fixed_value, "True");
  EXPECT_EQ(back->symbols[0].max, INT64_MAX);
  EXPECT_EQ(back->outputs[4].int_value, 3);
  EXPECT_EQ(back->callables[1].costs.p95_us, 12);
  EXPECT_EQ(back->callables[1].costs.resident_bytes, 4096);
  const Strategy& strategy = back->strategies[1];
  EXPECT_EQ(strategy.retained, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(strategy.resident_bytes, 4096);
  EXPECT_EQ(strategy.mask_costs[1].changed, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(strategy.mask_costs[0].runs, (std::vector<std::string>{"segment_a+b"}));
  EXPECT_EQ(strategy.mask_costs[0].steady_us, 1.5);
  EXPECT_EQ(back->strategy_candidates, 7);
  EXPECT_TRUE(back->costs_are_measured);
  EXPECT_EQ(back->tolerance.rtol, 0.5);
  EXPECT_EQ(back->tolerance.of_scale, 0);
}

TEST(Manifest, UnknownFieldsOfANewerMinorVersionAreIgnored) {
  std::string text = manifest_to_json(sample());
  text.insert(1, "\"later\": [1, 2], ");
  const std::string version = "\"format_minor\":1";
  text.replace(text.find(version), version.size(), "\"format_minor\":7");
  const auto read = manifest_from_json(text);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->format_minor, 7);
}

TEST(Manifest, AnotherMajorVersionIsRefusedWithBothVersions) {
  for (const char* major : {"1", "3"}) {
    std::string text = manifest_to_json(sample());
    const std::string version = "\"format_major\":2";
    text.replace(text.find(version), version.size(), fmt::format("\"format_major\":{}", major));
    const Status status = manifest_from_json(text).status();
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_THAT(status.message(),
                HasSubstr(fmt::format("package format {}.1; this build reads 2.1", major)));
  }
}

TEST(Manifest, EveryMissingFieldIsNamed) {
  const std::string text = manifest_to_json(sample());
  for (const char* field : {"format_minor",
                            "engine_name",
                            "inputs",
                            "outputs",
                            "callables",
                            "strategies",
                            "rejections",
                            "symbols",
                            "verified",
                            "weight_bytes",
                            "retained_bytes",
                            "bits_of_main",
                            "candidate",
                            "identity",
                            "costs",
                            "load_us",
                            "resident_bytes",
                            "retained",
                            "mask_costs",
                            "changed",
                            "runs",
                            "strategy_candidates",
                            "costs_are_measured",
                            "tolerance",
                            "of_scale"}) {
    std::string broken = text;
    const std::string quoted = fmt::format("\"{}\"", field);
    broken.replace(broken.find(quoted), quoted.size(), "\"renamed\"");
    const Status status = manifest_from_json(broken).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << field;
    EXPECT_THAT(status.message(), HasSubstr(field));
  }
}

TEST(Manifest, ContradictionsAreNamed) {
  const auto message = [](auto change) {
    Manifest m = sample();
    change(m);
    return m.validate().message();
  };
  EXPECT_THAT(message([](Manifest& m) { m.callables[2].inputs[1].name = "z"; }),
              HasSubstr("nothing gives 'z' to 'segment_a+b'"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[2].inputs[1].dtype = DType::kInt64; }),
              HasSubstr("the port 'x' differs"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[2].outputs.clear(); }),
              HasSubstr("nothing gives the output 'out'"));
  EXPECT_THAT(message([](Manifest& m) { m.strategies[1].callables.push_back("nope"); }),
              HasSubstr("no callable 'nope'"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[1].dependencies = {"q"}; }),
              HasSubstr("no input 'q'"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[1].dependencies = {}; }),
              HasSubstr("'segment_a' reads 'a' and does not depend on it"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[1].dependencies = {"flag"}; }),
              HasSubstr("no input 'flag'"));
  EXPECT_THAT(message([](Manifest& m) { m.inputs[1].port.name = "a"; }),
              HasSubstr("'a' occurs twice"));
  EXPECT_THAT(message([](Manifest& m) { m.outputs[1].name = "out"; }),
              HasSubstr("'out' occurs twice"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[0].name = "whole"; }),
              HasSubstr("first is not main"));
  EXPECT_THAT(message([](Manifest& m) { m.strategies.clear(); }), HasSubstr("strategies"));
  EXPECT_THAT(message([](Manifest& m) { m.callables[1].identity = "xyz"; }),
              HasSubstr("callable 'segment_a': identity \"xyz\""));
}

TEST(Manifest, ContradictionsInStrategiesAreNamed) {
  const auto message = [](auto change) {
    Manifest m = sample();
    change(m.strategies[1]);
    return m.validate().message();
  };
  EXPECT_THAT(message([](Strategy& s) { s.name = "monolithic"; }),
              HasSubstr("strategies: 'monolithic' occurs twice"));
  EXPECT_THAT(message([](Strategy& s) { s.retained = {"a"}; }),
              HasSubstr("retained: 'a' is an input of the program"));
  EXPECT_THAT(message([](Strategy& s) { s.retained = {"z"}; }),
              HasSubstr("retained: no callable of it gives 'z'"));
  EXPECT_THAT(message([](Strategy& s) {
                s.retained = {"x", "x"};
              }),
              HasSubstr("retained: 'x' occurs twice"));
  EXPECT_THAT(message([](Strategy& s) { s.mask_costs[0].changed = {}; }),
              HasSubstr("changed is empty"));
  EXPECT_THAT(message([](Strategy& s) { s.mask_costs[0].changed = {"flag"}; }),
              HasSubstr("changed: no input 'flag'"));
  EXPECT_THAT(message([](Strategy& s) {
                s.mask_costs[1].changed = {"b", "a"};
              }),
              HasSubstr("'a' is not in the program's order"));
  EXPECT_THAT(message([](Strategy& s) {
                s.mask_costs[0].changed = {"a", "b"};
              }),
              HasSubstr("mask_costs: [a, b] occurs twice"));
  EXPECT_THAT(message([](Strategy& s) { s.mask_costs[0].runs = {"main"}; }),
              HasSubstr("runs: 'main' is no callable of it"));
  EXPECT_THAT(
      message([](Strategy& s) { std::swap(s.mask_costs[1].runs[0], s.mask_costs[1].runs[1]); }),
      HasSubstr("runs: 'segment_a' is no callable of it, or not in order"));
  EXPECT_THAT(message([](Strategy& s) { s.mask_costs[0].steady_us = -1; }),
              HasSubstr("steady_us is -1"));
  EXPECT_THAT(message([](Strategy& s) { s.mask_costs[0].p95_us = HUGE_VAL; }),
              HasSubstr("p95_us inf"));
}

TEST(Manifest, TheFirstStrategyIsMonolithicAndRetainsNothing) {
  Manifest m = sample();
  std::swap(m.strategies[0], m.strategies[1]);
  EXPECT_THAT(m.validate().message(), HasSubstr("the first is 'full_retention'"));
  m = sample();
  m.strategies[0].retained = {"y"};
  EXPECT_THAT(m.validate().message(), HasSubstr("monolithic"));
}

TEST(Manifest, CostsAndToleranceAreAmounts) {
  Manifest m = sample();
  m.callables[1].costs.load_us = std::nan("");
  EXPECT_THAT(m.validate().message(), HasSubstr("callable 'segment_a': load_us is nan"));
  m = sample();
  m.tolerance.rtol = -1;
  EXPECT_THAT(m.validate().message(), HasSubstr("tolerance: rtol is -1"));
}

}  // namespace
}  // namespace changeaware
