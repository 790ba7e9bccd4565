#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace changeaware {
namespace {

TEST(Json, ReadsEverySpellingOfInfinity) {
  auto doc = JsonDocument::parse(
      R"({"a": [Infinity, -Infinity, NaN, "Infinity", "-Infinity", "NaN", 1.5]})", "t");
  ASSERT_TRUE(doc.ok()) << doc.status().to_string();
  auto items = (*doc)->root().get("a")->elements();
  ASSERT_TRUE(items.ok());
  std::vector<double> got;
  for (const JsonView& v : *items) got.push_back(*v.as_double());
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(got[0], kInf);
  EXPECT_EQ(got[1], -kInf);
  EXPECT_TRUE(std::isnan(got[2]));
  EXPECT_EQ(got[3], kInf);
  EXPECT_EQ(got[4], -kInf);
  EXPECT_TRUE(std::isnan(got[5]));
  EXPECT_EQ(got[6], 1.5);
}

TEST(Json, AnErrorNamesSourceAndPath) {
  auto doc = JsonDocument::parse(R"({"nodes": [{"x": 1}, {"x": "one"}]})", "models/m.json");
  ASSERT_TRUE(doc.ok());
  auto nodes = (*doc)->root().get("nodes")->elements();
  auto bad = (*nodes)[1].get("x")->as_int();
  EXPECT_EQ(bad.status().to_string(),
            "Corrupt: models/m.json: nodes[1].x: expected an integer, found a string");
  EXPECT_EQ((*nodes)[0].get("y").status().message(), "models/m.json: nodes[0]: no field \"y\"");
}

TEST(Json, TextThatIsNotJsonIsCorrupt) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1}x", "\x01"}) {
    auto doc = JsonDocument::parse(text, "m.json");
    EXPECT_EQ(doc.status().code(), StatusCode::kCorrupt) << text;
  }
}

TEST(Json, DeepNestingDoesNotExhaustTheStack) {
  const std::string text = std::string(200000, '[') + std::string(200000, ']');
  auto document = JsonDocument::parse(text, "m.json");
  ASSERT_TRUE(document.ok());
  JsonView view = (*document)->root();
  for (int i = 0; i < 100000; ++i) view = view.elements()->front();
  EXPECT_EQ(view.as_int().status().message(),
            "m.json: a deeply nested place: expected an integer, found a list");
}

TEST(Json, WhatIsWrittenReadsBack) {
  JsonWriter w;
  w.begin_object()
      .field("n", int64_t{-3})
      .field("d", 0.1)
      .field("s", "a\"b")
      .list("l", std::vector<std::string>{"x", "y"});
  w.field("big", std::numeric_limits<double>::infinity()).key("none").null().end_object();
  const std::string text = w.take();
  auto doc = JsonDocument::parse(text, "w");
  ASSERT_TRUE(doc.ok()) << text;
  EXPECT_EQ(*(*doc)->root().get("n")->as_int(), -3);
  EXPECT_EQ(*(*doc)->root().get("d")->as_double(), 0.1);
  EXPECT_EQ(*(*doc)->root().get("s")->as_string(), "a\"b");
  EXPECT_EQ((*doc)->root().get("l")->elements()->size(), 2u);
  EXPECT_FALSE((*doc)->root().find("none").has_value());
}

}  // namespace
}  // namespace changeaware
