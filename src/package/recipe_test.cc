#include "package/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "package/random_manifest.h"

namespace changeaware {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// image -> early -> late -> head(late, text'), and text -> text'.
Manifest two_towers() {
  Manifest m;
  m.inputs = {{named_port("image"), ""}, {named_port("text"), ""}};
  m.outputs = {{.name = "scores", .port = named_port("scores")}};
  const auto add = [&](std::string name, std::vector<std::string> reads, std::string gives,
                       std::vector<std::string> dependencies) {
    Callable c;
    c.name = std::move(name);
    for (const std::string& port : reads) c.inputs.push_back(named_port(port));
    c.outputs = {named_port(std::move(gives))};
    c.dependencies = std::move(dependencies);
    m.callables.push_back(std::move(c));
  };
  add("main", {"image", "text"}, "scores", {"image", "text"});
  add("early", {"image"}, "edges", {"image"});
  add("late", {"edges"}, "features", {"image"});
  add("words", {"text"}, "embedding", {"text"});
  add("head", {"features", "embedding"}, "scores", {"image", "text"});
  return m;
}

class TwoTowers : public testing::Test {
 protected:
  std::vector<std::string> runs(const std::set<std::string>& retained,
                                const std::vector<bool>& changed) const {
    std::vector<bool> kept(recipe.port_count(), false);
    for (const std::string& name : retained) kept[recipe.port(name).value()] = true;
    std::vector<std::string> out;
    const std::vector<bool> places = recipe.runs(kept, changed);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i]) out.push_back(manifest.callables[recipe.callable(i)].name);
    }
    return out;
  }

  Manifest manifest = two_towers();
  const std::vector<bool> image = {true, false};
  const std::vector<bool> text = {false, true};
  Recipe recipe{manifest, segment_names(manifest)};
};

TEST_F(TwoTowers, NumbersPortsInOrderOfTheCallables) {
  EXPECT_EQ(recipe.size(), 4u);
  EXPECT_EQ(recipe.callable(0), 1u);
  EXPECT_EQ(recipe.port_count(), 4u);
  EXPECT_EQ(recipe.port("features"), 1u);
  EXPECT_EQ(recipe.first_port(3), 3u);
  EXPECT_EQ(recipe.port("image"), std::nullopt);
  EXPECT_THAT(recipe.results(), ElementsAre(3u));
}

TEST_F(TwoTowers, WithNothingRetainedEverythingRuns) {
  EXPECT_THAT(runs({}, text), ElementsAre("early", "late", "words", "head"));
}

TEST_F(TwoTowers, WhatIsRetainedAndUnchangedIsReusedWithAllBeforeIt) {
  EXPECT_THAT(runs({"features", "embedding"}, text), ElementsAre("words", "head"));
  EXPECT_THAT(runs({"features", "embedding"}, image), ElementsAre("early", "late", "head"));
}

TEST_F(TwoTowers, AThinnerCutRecomputesWhatIsBehindIt) {
  EXPECT_THAT(runs({"edges"}, text), ElementsAre("late", "words", "head"));
}

TEST_F(TwoTowers, NothingRunsForAChangeThatNothingDependsOn) {
  EXPECT_THAT(runs({"scores"}, {false, false}), IsEmpty());
}

TEST_F(TwoTowers, AnAssertionRunsWhenADependencyChangedAndOnlyThen) {
  manifest.callables[3].assertions = {"words are known"};
  manifest.outputs[0].port = named_port("features");
  recipe = Recipe(manifest, segment_names(manifest));
  EXPECT_THAT(runs({"features"}, text), ElementsAre("words"));
  EXPECT_THAT(runs({}, image), ElementsAre("early", "late"));
}

TEST_F(TwoTowers, OfTheWantedPortsAloneNothingElseRuns) {
  const std::vector<bool> kept(recipe.port_count(), false);
  const std::vector<size_t> wanted = {recipe.port("edges").value()};
  EXPECT_THAT(recipe.runs(kept, text, wanted), ElementsAre(true, false, false, false));
}

TEST_F(TwoTowers, AReaderDependsOnWhatItsWritersDependOn) {
  manifest.callables[4].dependencies = {"text"};  // head, incompletely
  recipe = Recipe(manifest, segment_names(manifest));
  EXPECT_THAT(runs({"features", "embedding", "scores"}, image),
              ElementsAre("early", "late", "head"));
}

// The definition, from a result down: a value is there when it is retained and did not change.
std::vector<bool> by_definition(const Manifest& m, const Recipe& recipe,
                                const std::vector<bool>& retained,
                                const std::vector<bool>& changed) {
  std::vector<bool> out(recipe.size(), false);
  const auto is_stale = [&](const Callable& c) {
    for (size_t i = 0; i < m.inputs.size(); ++i) {
      const auto& names = c.dependencies;
      if (changed[i] && std::count(names.begin(), names.end(), m.inputs[i].port.name) > 0)
        return true;
    }
    return false;
  };
  std::function<void(size_t)> execute = [&](size_t place) {
    out[place] = true;
    for (const Port& port : m.callables[recipe.callable(place)].inputs) {
      const auto id = recipe.port(port.name);
      if (!id) continue;
      size_t writer = 0;
      while (recipe.first_port(writer + 1) <= *id) ++writer;
      const bool stale = is_stale(m.callables[recipe.callable(writer)]);
      if (!out[writer] && (stale || !retained[*id])) execute(writer);
    }
  };
  for (size_t place = 0; place < recipe.size(); ++place) {
    const Callable& c = m.callables[recipe.callable(place)];
    bool needed = !c.assertions.empty() && is_stale(c);
    for (size_t result : recipe.results()) {
      const bool own = result >= recipe.first_port(place) && result < recipe.first_port(place + 1);
      needed = needed || (own && (is_stale(c) || !retained[result]));
    }
    if (needed) execute(place);
  }
  return out;
}

std::vector<bool> random_bits(std::mt19937& random, size_t size) {
  std::vector<bool> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = random() % 2 == 0;
  return out;
}

TEST(RecipeProperties, RunsEqualTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const Manifest m = random_manifest(random, 1 + random() % 8);
    const Recipe recipe(m, segment_names(m));
    const std::vector<bool> retained = random_bits(random, recipe.port_count());
    const std::vector<bool> changed = random_bits(random, m.inputs.size());
    ASSERT_EQ(recipe.runs(retained, changed), by_definition(m, recipe, retained, changed)) << i;
  }
}

// What the header says about unions.
TEST(RecipeProperties, SingleInputsAndSingleResultsDecideEverything) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const Manifest m = random_manifest(random, 1 + random() % 8);
    const Recipe recipe(m, segment_names(m));
    const std::vector<bool> retained = random_bits(random, recipe.port_count());
    std::vector<bool> changed = random_bits(random, m.inputs.size());
    changed[0] = true;
    std::vector<size_t> wanted = {recipe.results()[0]};
    if (i % 2 == 0) wanted = recipe.results();
    std::vector<bool> expected(recipe.size(), false);
    for (size_t input = 0; input < m.inputs.size(); ++input) {
      std::vector<bool> single(m.inputs.size(), false);
      single[input] = true;
      if (!changed[input]) continue;
      for (size_t result : wanted) {
        const std::vector<bool> part = recipe.runs(retained, single, {{result}});
        for (size_t p = 0; p < part.size(); ++p) expected[p] = expected[p] || part[p];
      }
    }
    ASSERT_EQ(recipe.runs(retained, changed, wanted), expected) << i;
  }
}

TEST(RecipeProperties, MoreThan64InputsAndCallablesAreCounted) {
  Manifest m;
  Callable main;
  main.name = "main";
  m.callables.push_back(main);
  for (int i = 0; i < 130; ++i) {
    Callable c;
    c.name = "s" + std::to_string(i);
    m.inputs.push_back({named_port("x" + std::to_string(i)), ""});
    c.inputs = {m.inputs.back().port};
    if (i > 0) c.inputs.push_back(named_port("y" + std::to_string(i - 1)));
    c.dependencies = {m.inputs.back().port.name};
    c.outputs = {named_port("y" + std::to_string(i))};
    m.callables.push_back(c);
  }
  m.outputs = {{.name = "y", .port = named_port("y129")}};
  const Recipe recipe(m, segment_names(m));
  std::vector<bool> changed(130, false);
  changed[100] = true;
  const std::vector<bool> runs = recipe.runs(std::vector<bool>(130, true), changed);
  for (size_t place = 0; place < runs.size(); ++place) EXPECT_EQ(runs[place], place >= 100);
}

}  // namespace
}  // namespace changeaware
