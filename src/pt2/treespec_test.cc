#include "pt2/treespec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLeaf = R"({"type": null, "context": null, "children_spec": []})";

std::string spec(const std::string& type, const std::string& context, const std::string& children) {
  return "{\"type\": \"" + type + "\", \"context\": \"" + context + "\", \"children_spec\": [" +
         children + "]}";
}

Result<TreeSpec> parse(const std::string& tree, const NamedTupleFields& named = {}) {
  return parse_treespec("[1, " + tree + "]", "out_spec", named);
}

TEST(TreeSpec, AFlatTupleNamesNothing) {
  const auto tree = parse(spec("builtins.tuple", "null", kLeaf + "," + kLeaf));
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->leaf_count(), 2u);
  EXPECT_THAT(leaf_paths(*tree), ElementsAre("", ""));
  EXPECT_THAT(leaf_paths(*parse(kLeaf)), ElementsAre(""));
}

TEST(TreeSpec, KeysOfDictionariesDataClassesAndNamedTuplesNameTheLeaves) {
  const std::string list = spec("builtins.list", "null", kLeaf + "," + kLeaf);
  const std::string data = spec("Pair", "[[\\\"p\\\"], []]", kLeaf);
  const std::string named = spec("collections.namedtuple", "Scores", kLeaf);
  const auto tree = parse(
      spec("builtins.dict", "[\\\"a\\\", \\\"b\\\", \\\"c\\\"]", list + "," + data + "," + named),
      {{"Scores", {"best"}}});
  ASSERT_TRUE(tree.ok()) << tree.status().to_string();
  EXPECT_THAT(leaf_paths(*tree), ElementsAre("a.0", "a.1", "b.p", "c.best"));
}

TEST(TreeSpec, GeneratedSpecsParse) {
  const auto in = parse_treespec(flat_in_spec(3), "in_spec", {});
  ASSERT_TRUE(in.ok());
  EXPECT_EQ(in->leaf_count(), 3u);
  EXPECT_EQ(in->children.size(), 2u);
  EXPECT_EQ(parse_treespec(flat_out_spec(2), "out_spec", {})->leaf_count(), 2u);
}

TEST(TreeSpec, WhatIsNoTreeSpecIsCorruptNamingIt) {
  for (const std::string text : {"", "3", "[1]", "[1, 2]", "[1, {}]"}) {
    const auto tree = parse_treespec(text, "in_spec", {});
    EXPECT_EQ(tree.status().code(), StatusCode::kCorrupt) << text;
    EXPECT_THAT(tree.status().message(), HasSubstr("in_spec"));
  }
  EXPECT_EQ(parse_treespec("[2, " + kLeaf + "]", "in_spec", {}).status().code(),
            StatusCode::kUnsupported);
}

}  // namespace
}  // namespace changeaware
