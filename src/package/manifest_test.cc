#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  m.strategies = {{"monolithic", {"main"}, 0, true, ""},
                  {"full_retention", {"segment_a", "segment_a+b"}, 32, false, "y differs"}};
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
}

TEST(Manifest, AnUnknownFieldIsIgnoredAndANewerMajorRefused) {
  std::string text = manifest_to_json(sample());
  text.insert(1, "\"later\": [1, 2], ");
  EXPECT_TRUE(manifest_from_json(text).ok());
  const std::string version = "\"format_major\":1";
  text.replace(text.find(version), version.size(), "\"format_major\":2");
  const Status status = manifest_from_json(text).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("package format 2.0; this build reads 1.x"));
}

TEST(Manifest, EveryMissingFieldIsNamed) {
  const std::string text = manifest_to_json(sample());
  for (const char* field : {"format_minor", "engine_name", "inputs", "outputs", "callables",
                            "strategies", "rejections", "symbols", "verified", "weight_bytes",
                            "retained_bytes", "bits_of_main", "candidate", "identity"}) {
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

}  // namespace
}  // namespace changeaware
