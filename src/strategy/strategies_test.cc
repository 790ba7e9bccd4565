#include "strategy/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "package/random_manifest.h"
#include "strategy/candidates.h"
#include "strategy/small_classes.h"

namespace changeaware {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// image -> early -> late -> head, text -> words -> head.
Manifest two_towers() {
  Manifest m;
  m.inputs = {{named_port("image"), ""}, {named_port("text"), ""}};
  m.outputs = {{.name = "scores", .port = named_port("scores")}};
  const auto add = [&](std::string name, std::vector<std::string> reads, std::string gives,
                       std::vector<std::string> dependencies, double steady_us) {
    Callable c;
    c.name = std::move(name);
    for (const std::string& port : reads) c.inputs.push_back(named_port(port));
    c.outputs = {named_port(std::move(gives))};
    c.dependencies = std::move(dependencies);
    c.costs = {steady_us, 2 * steady_us, 0, 0, 100};
    m.callables.push_back(std::move(c));
  };
  add("main", {"image", "text"}, "scores", {"image", "text"}, 1600);
  add("early", {"image"}, "edges", {"image"}, 900);
  add("late", {"edges"}, "features", {"image"}, 100);
  add("words", {"text"}, "embedding", {"text"}, 500);
  add("head", {"features", "embedding"}, "scores", {"image", "text"}, 50);
  return m;
}

std::vector<ClassCuts> two_classes() {
  return {{"image", {{0, {}}, {1000, {"edges"}}, {4000, {"features"}}}},
          {"text", {{0, {}}, {500, {"embedding"}}}}};
}

std::vector<std::string> names(const StrategySet& set) {
  std::vector<std::string> out;
  for (const Strategy& s : set.strategies) out.push_back(s.name);
  return out;
}

std::string reason(const StrategySet& set, const std::string& candidate) {
  for (const Rejection& r : set.rejections) {
    if (r.candidate == candidate) return r.reason;
  }
  return "(not turned down)";
}

TEST(Strategies, AreAllCombinationsByRetainedBytesWithMonolithicFirst) {
  const StrategySet set = choose_strategies(two_towers(), two_classes(), {});
  EXPECT_EQ(set.candidates, 7u);
  EXPECT_THAT(set.rejections, IsEmpty());
  EXPECT_THAT(names(set),
              ElementsAre("monolithic", "no_retention", "image@0+text@500", "image@1000+text@0",
                          "image@1000+text@500", "image@4000+text@0", "full_retention"));
}

TEST(Strategies, SayWhatRunsForEveryChangeAndWhatItCosts) {
  const StrategySet set = choose_strategies(two_towers(), two_classes(), {});
  const Strategy& s = set.strategies[4];
  EXPECT_THAT(s.callables, ElementsAre("early", "late", "words", "head"));
  EXPECT_THAT(s.retained, ElementsAre("edges", "embedding"));
  EXPECT_EQ(s.retained_bytes, 1500u);
  EXPECT_EQ(s.resident_bytes, 400u);
  ASSERT_THAT(s.mask_costs, SizeIs(3));
  EXPECT_THAT(s.mask_costs[0].changed, ElementsAre("image"));
  EXPECT_THAT(s.mask_costs[0].runs, ElementsAre("early", "late", "head"));
  EXPECT_THAT(s.mask_costs[1].changed, ElementsAre("text"));
  EXPECT_THAT(s.mask_costs[1].runs, ElementsAre("late", "words", "head"));
  EXPECT_DOUBLE_EQ(s.mask_costs[1].steady_us, 650);
  EXPECT_DOUBLE_EQ(s.mask_costs[1].p95_us, 1300);
  EXPECT_THAT(s.mask_costs[2].changed, ElementsAre("image", "text"));
  EXPECT_THAT(s.mask_costs[2].runs, SizeIs(4));
  const Strategy& monolithic = set.strategies[0];
  EXPECT_THAT(monolithic.callables, ElementsAre("main"));
  EXPECT_EQ(monolithic.resident_bytes, 100u);
  EXPECT_THAT(monolithic.mask_costs, Each(Field(&MaskCost::runs, ElementsAre("main"))));
}

TEST(Strategies, ThatAreSlowerThanMainWithoutRetainingFewerBytesAreNamedWithIt) {
  Manifest m = two_towers();
  m.callables[0].costs.steady_us = 1550;
  const StrategySet set = choose_strategies(m, two_classes(), {});
  EXPECT_THAT(reason(set, "no_retention"),
              HasSubstr("dominated by 'monolithic', which is no slower for any change"));
  m.callables[0].costs.steady_us = 1;
  EXPECT_THAT(names(choose_strategies(m, two_classes(), {})),
              ElementsAre("monolithic", "full_retention"))
      << "the fastest of the segments' strategies stays";
}

TEST(Strategies, ThatRetainMoreForNothingAreNamedWithTheThinnerOne) {
  std::vector<ClassCuts> classes = two_classes();
  classes[1].choices.push_back({600, {"embedding", "scores"}});
  const StrategySet set = choose_strategies(two_towers(), classes, {});
  EXPECT_THAT(reason(set, "full_retention"),
              HasSubstr("dominated by 'image@4000+text@500', which runs nothing more for any "
                        "change and retains 4500 bytes, not 4600"));
}

TEST(Strategies, ThatAreTheSameTwiceAreNamedWithTheFirst) {
  std::vector<ClassCuts> classes = two_classes();
  classes[1].choices.push_back({500, {"embedding"}});
  const StrategySet set = choose_strategies(two_towers(), classes, {});
  EXPECT_THAT(reason(set, "image@1000+text@500_2"), HasSubstr("the same as 'image@1000+text@500'"));
  EXPECT_EQ(set.strategies.size(), 7u);
}

TEST(Strategies, OverTheRetainedBudgetAreTurnedDownWithBothNumbers) {
  const StrategySet set =
      choose_strategies(two_towers(), two_classes(), {.retained_budget_bytes = 1000});
  EXPECT_THAT(names(set),
              ElementsAre("monolithic", "no_retention", "image@0+text@500", "image@1000+text@0"));
  EXPECT_EQ(reason(set, "full_retention"), "retains 4500 bytes, the budget is 1000");
}

TEST(Strategies, BeyondTheMostThoseStayThatHelpMost) {
  const StrategySet one = choose_strategies(two_towers(), two_classes(), {.max_strategies = 1});
  EXPECT_THAT(names(one), ElementsAre("monolithic"));
  const StrategySet two = choose_strategies(two_towers(), two_classes(), {.max_strategies = 2});
  EXPECT_THAT(names(two), ElementsAre("monolithic", "full_retention"));
  // Against main, for the changes image, text, both, and both for the one result: the edges alone
  // save 50 + 950 + 50 + 50 us for budgets of 1000, 1500 and 4000 bytes; with the embedding it is
  // 550 + 950 + 50 + 50 us for 1500 and 4000 bytes, which is 100 us less in total.
  const StrategySet three = choose_strategies(two_towers(), two_classes(), {.max_strategies = 3});
  EXPECT_THAT(names(three), ElementsAre("monolithic", "image@1000+text@0", "full_retention"));
  EXPECT_EQ(reason(three, "no_retention"), "others of the 3 strategies kept lower the times more");
}

TEST(Strategies, ThatRunLessForOneResultAreKeptBesideMonolithic) {
  Manifest m;
  m.inputs = {{named_port("x"), ""}};
  m.outputs = {{.name = "boxes", .port = named_port("boxes")},
               {.name = "masks", .port = named_port("masks")}};
  for (const auto& [name, gives] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"main", {"boxes", "masks"}}, {"one", {"boxes"}}, {"two", {"masks"}}}) {
    Callable c;
    c.name = name;
    c.dependencies = {"x"};
    c.inputs = {named_port("x")};
    for (const std::string& port : gives) c.outputs.push_back(named_port(port));
    c.costs.steady_us = 10.0 * static_cast<double>(gives.size());
    m.callables.push_back(c);
  }
  EXPECT_THAT(names(choose_strategies(m, {}, {})), ElementsAre("monolithic", "full_retention"));
  m.callables[1].costs.steady_us = 25;
  m.callables[2].costs.steady_us = 25;
  EXPECT_THAT(names(choose_strategies(m, {}, {})), ElementsAre("monolithic", "full_retention"));
}

TEST(SmallClasses, AreOneChoiceTogether) {
  Manifest m = two_towers();
  std::vector<ClassCuts> classes = two_classes();
  EXPECT_THAT(join_small_classes(m, classes), IsEmpty()) << "500 us of 1550 are much";
  ASSERT_THAT(classes, SizeIs(2));
  m.callables[3].costs.steady_us = 1;  // the text's
  classes.push_back({"scale", {{0, {}}, {100, {"scores"}}}});
  const auto rejections = join_small_classes(m, classes);
  ASSERT_THAT(rejections, SizeIs(2));
  EXPECT_EQ(rejections[0].candidate, "text by itself");
  EXPECT_THAT(rejections[0].reason, HasSubstr("500 bytes save 1.0 us"));
  ASSERT_THAT(classes, SizeIs(2));
  EXPECT_EQ(classes[0].label, "image");
  EXPECT_THAT(classes[0].choices, SizeIs(3));
  EXPECT_EQ(classes[1].choices[0].bytes, 0u);
  EXPECT_EQ(classes[1].choices[1].bytes, 600u);
  EXPECT_THAT(classes[1].choices[1].retained, ElementsAre("embedding", "scores"));
}

TEST(SmallClasses, AreAllThereIsInASmallProgram) {
  Manifest m = two_towers();
  for (Callable& c : m.callables) c.costs.steady_us = 5;
  std::vector<ClassCuts> classes = two_classes();
  join_small_classes(m, classes);
  m.callables[0].costs.steady_us = 100;
  EXPECT_THAT(names(choose_strategies(m, classes, {})),
              ElementsAre("monolithic", "no_retention", "full_retention"));
}

TEST(Strategies, OfAProgramWithoutSegmentsAreMonolithicAlone) {
  Manifest m = two_towers();
  m.callables.resize(1);
  const StrategySet set = choose_strategies(m, {}, {});
  EXPECT_THAT(names(set), ElementsAre("monolithic"));
  EXPECT_EQ(set.candidates, 1u);
}

TEST(Strategies, ManyRejectionsAreCountedInOne) {
  Manifest m;
  std::vector<ClassCuts> classes;
  Callable head;
  head.name = "head";
  head.outputs = {named_port("y")};
  m.outputs = {{.name = "y", .port = named_port("y")}};
  m.callables.resize(1);
  m.callables[0].name = "main";
  m.callables[0].outputs = head.outputs;
  m.callables[0].costs.steady_us = 1e6;
  for (int i = 0; i < 8; ++i) {
    const std::string x = "x" + std::to_string(i);
    m.inputs.push_back({named_port(x), ""});
    Callable c;
    c.name = "tower" + std::to_string(i);
    c.dependencies = {x};
    c.inputs = {named_port(x)};
    c.outputs = {named_port("f" + std::to_string(i))};
    c.costs.steady_us = 10 + i;
    m.callables.push_back(c);
    head.inputs.push_back(c.outputs[0]);
    head.dependencies.push_back(x);
    classes.push_back({x, {{0, {}}, {100u + 7u * static_cast<uint64_t>(i), {c.outputs[0].name}}}});
  }
  m.callables.push_back(head);
  const StrategySet set = choose_strategies(m, classes, {.max_strategies = 5});
  EXPECT_EQ(set.candidates, 257u);
  EXPECT_THAT(set.strategies, SizeIs(5));
  EXPECT_THAT(set.strategies[1].mask_costs, SizeIs(17)) << "each alone, all but each, all";
  ASSERT_THAT(set.rejections, SizeIs(65));
  EXPECT_EQ(set.rejections.back().candidate, "188 more strategies");
}

TEST(Candidates, AreBoundedAndNestedByAPriceWhereThereAreTooMany) {
  std::vector<ClassCuts> classes;
  for (int c = 0; c < 5; ++c) {
    classes.push_back({"c" + std::to_string(c), {{0, {}}, {10, {}}, {30, {}}}});
  }
  // The first step of class c saves 100 + c, the second 10 + c.
  const auto total_us = [](const Choices& choices) {
    double out = 1e4;
    for (size_t c = 0; c < choices.size(); ++c) {
      if (choices[c] > 0) out -= 100.0 + static_cast<double>(c);
      if (choices[c] > 1) out -= 10.0 + static_cast<double>(c);
    }
    return out;
  };
  EXPECT_EQ(enumerate_candidates(classes, 243, total_us).size(), 243u);
  const std::vector<Choices> some = enumerate_candidates(classes, 100, total_us);
  EXPECT_LE(some.size(), 1u + 10 + 30);
  for (const Choices& expected :
       {Choices{0, 0, 0, 0, 0}, Choices{0, 0, 0, 0, 1}, Choices{0, 0, 0, 1, 1},
        Choices{1, 1, 1, 1, 1}, Choices{1, 1, 1, 1, 2}, Choices{2, 2, 2, 2, 2},
        Choices{0, 0, 2, 0, 0}, Choices{2, 2, 0, 2, 2}}) {
    EXPECT_THAT(some, ::testing::Contains(expected));
  }
  const std::vector<Choices> few = enumerate_candidates(classes, 4, total_us);
  EXPECT_THAT(few, SizeIs(4));
  EXPECT_EQ(few.front(), (Choices{0, 0, 0, 0, 0}));
  EXPECT_EQ(few.back(), (Choices{2, 2, 2, 2, 2}));
}

}  // namespace
}  // namespace changeaware
