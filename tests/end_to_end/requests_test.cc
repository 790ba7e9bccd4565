// Requests that ask for less, are wrong, or fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// E3: c needs a; d looks b up in a table of 8 rows.
constexpr const char* kBranches = R"(graph(%a: f32[64], %b: i64[2]) {
  %table = constant f32[8, 4] "table"
  %c: f32[64] = aten.add.Tensor(%a, %a)
  %d: f32[2, 4] = aten.embedding.default(%table, %b)
  return (%c, %d)
})";

TEST(Want, RunsAndFailsOnlyWhatTheWantedOutputsNeed) {
  const CompiledProgram program(kBranches, {{"a", noise({64}, 1)}, {"b", i64({2}, {0, 1})}});
  const auto session = program.session();
  const Tensor a = noise({64}, 2);
  const Inputs broken = {{"a", a}, {"b", i64({2}, {0, 8})}};
  const Response c = run(*session, broken, {"c"});
  EXPECT_THAT(c.report.ran, ElementsAre("segment_a"));
  ASSERT_EQ(c.outputs.size(), 1u);
  EXPECT_EQ(c.outputs[0].name, "c");

  const auto d = session->run({.inputs = broken, .want = {"d"}});
  ASSERT_FALSE(d.ok());
  EXPECT_THAT(d.status().message(), HasSubstr("'d'"));

  const Inputs repaired = {{"a", a}, {"b", i64({2}, {0, 7})}};
  const Response both = run(*session, repaired);
  EXPECT_THAT(both.report.ran, ElementsAre("segment_b"));
  EXPECT_THAT(both.report.reused, ElementsAre("segment_a"));
  expect_identical(both.outputs, program.full_run(repaired));
}

TEST(Want, AnInputThatNothingWantedReadsMayBeMissingOrOutsideTheContract) {
  const CompiledProgram program(kBranches, {{"a", noise({64}, 1)}, {"b", i64({2}, {0, 1})}});
  const auto session = program.session();
  EXPECT_TRUE(session->run({.inputs = {{"a", noise({64}, 2)}}, .want = {"c"}}).ok());
  EXPECT_TRUE(session
                  ->run({.inputs = {{"a", noise({64}, 2)}, {"b", i64({2}, {int64_t{1} << 40, 0})}},
                         .want = {"c"}})
                  .ok());
  const auto missing = session->run({.inputs = {{"a", noise({64}, 2)}}});
  EXPECT_THAT(missing.status().message(), HasSubstr("input 'b' is missing; the inputs are: a, b"));
}

constexpr const char* kAsserting = R"(graph(%a: f32[64], %b: f32[4]) {
  %p: bool[4] = aten.gt.Scalar(%b, 0)
  %ok: bool[] = aten.all.default(%p)
  %x: f32[64] = aten.mul.Scalar(%a, 2)
  assert %ok "b must be positive"
  return (%x)
})";

// A8: a failed assertion publishes nothing and poisons nothing.
TEST(Assertions, AFailedOneFailsTheRequestAndOnlyThat) {
  const CompiledProgram program(kAsserting, {{"a", noise({64}, 1)}, {"b", f32({4}, {1, 1, 1, 1})}});
  const Callable* guard = program.package()->manifest().find_callable("segment_b");
  ASSERT_NE(guard, nullptr);
  EXPECT_THAT(guard->dependencies, ElementsAre("b"));
  EXPECT_THAT(guard->assertions, ElementsAre("b must be positive"));

  const auto session = program.session();
  const Tensor a = noise({64}, 2);
  const Tensor good = f32({4}, {1, 2, 3, 4});
  const Tensor bad = f32({4}, {1, -1, 1, 1});
  const Response first = run(*session, {{"a", a}, {"b", good}});
  const auto failed = session->run({.inputs = {{"a", a}, {"b", bad}}});
  EXPECT_EQ(failed.status().code(), StatusCode::kFailedAssertion);
  EXPECT_THAT(failed.status().message(), HasSubstr("b must be positive"));
  const Response again = run(*session, {{"a", a}, {"b", good}});
  EXPECT_THAT(again.report.ran, IsEmpty());
  EXPECT_THAT(again.report.reused, Contains("segment_a"));
  expect_identical(again.outputs, first.outputs);
  EXPECT_FALSE(session->run({.inputs = {{"a", a}, {"b", bad}}}).ok())
      << "a failure is not retained as a success";
}

TEST(Assertions, OneThatNoWantedOutputNeedsIsNotRun) {
  const CompiledProgram program(kAsserting, {{"a", noise({64}, 1)}, {"b", f32({4}, {1, 1, 1, 1})}});
  const auto session = program.session();
  const Response response =
      run(*session, {{"a", noise({64}, 1)}, {"b", f32({4}, {-1, 1, 1, 1})}}, {"x"});
  EXPECT_THAT(response.report.ran, Not(Contains("segment_b")));
}

constexpr const char* kDouble = R"(graph(%x: f32[2], %ids: i64[2]) {
  %f: f32[2] = aten._to_copy.default(%ids, dtype=f32)
  %y: f32[2] = aten.add.Tensor(%x, %f)
  return (%y)
})";

class BadRequests : public ::testing::Test {
 protected:
  BadRequests()
      : program_(kDouble, {{"x", f32({2}, {1, 2})}, {"ids", i64({2}, {1, 2})}}),
        session_(program_.session()) {}
  Status status_of(const Request& request) { return session_->run(request).status(); }
  Inputs good() const { return {{"x", f32({2}, {1, 2})}, {"ids", i64({2}, {3, 4})}}; }
  CompiledProgram program_;
  std::unique_ptr<Session> session_;
};

TEST_F(BadRequests, NameWhatIsWrong) {
  Inputs inputs = good();
  inputs["y"] = f32({2}, {1, 2});
  EXPECT_THAT(status_of({.inputs = inputs}).message(),
              HasSubstr("no input 'y'; the inputs are: x, ids"));
  inputs = good();
  inputs["x"] = f32({3}, {1, 2, 3});
  EXPECT_THAT(status_of({.inputs = inputs}).message(),
              HasSubstr("input 'x' is float32 [3], the program takes float32 [2]"));
  inputs["x"] = i64({2}, {1, 2});
  EXPECT_THAT(status_of({.inputs = inputs}).message(), HasSubstr("input 'x' is int64 [2]"));
  inputs = good();
  inputs["x"] = Tensor();
  EXPECT_THAT(status_of({.inputs = inputs}).message(), HasSubstr("input 'x' is an empty handle"));
  EXPECT_THAT(status_of({.inputs = good(), .want = {"z"}}).message(),
              HasSubstr("no output 'z'; the outputs are: y"));
  EXPECT_THAT(status_of({.inputs = good(), .strategy = "fastest"}).message(),
              HasSubstr("no strategy 'fastest'"));
  EXPECT_THAT(
      status_of({.inputs = {{"ids", i64({2}, {1, 2})}}, .versions = {{"x", "v1"}}}).message(),
      HasSubstr("version tag \"v1\" for input 'x', which has no value"));
  EXPECT_THAT(status_of({.inputs = good(), .versions = {{"z", "v1"}}}).message(),
              HasSubstr("no input 'z'"));
  EXPECT_EQ(session_->stats().retained_entries, 0u) << "failed requests retain nothing";
  EXPECT_TRUE(session_->run({.inputs = good()}).ok());
}

TEST_F(BadRequests, ValuesThatTheEngineWouldGetWrongAreRefused) {
  Inputs inputs = good();
  inputs["ids"] = i64({2}, {int64_t{1} << 40, 0});
  EXPECT_EQ(status_of({.inputs = inputs}).code(), StatusCode::kUnsupported);
  EXPECT_THAT(status_of({.inputs = inputs}).message(),
              HasSubstr("input 'ids' holds an integer outside"));
  EXPECT_THAT(status_of({.inputs = inputs, .versions = {{"ids", "t"}}}).message(),
              HasSubstr("input 'ids'"))
      << "a tag does not bring them in";
  inputs = good();
  inputs["x"] = f32({2}, {1, NAN});
  EXPECT_THAT(status_of({.inputs = inputs}).message(), HasSubstr("input 'x' holds a NaN"));
}

TEST(VersionTags, StandForContentsThatAreNotRead) {
  const CompiledProgram program(kDouble, {{"x", f32({2}, {1, 2})}, {"ids", i64({2}, {1, 2})}});
  const auto session = program.session();
  const auto ask = [&](float x, const std::string& tag) {
    return session->run(
        {.inputs = {{"x", f32({2}, {x, x})}, {"ids", i64({2}, {3, 4})}}, .versions = {{"x", tag}}});
  };
  const auto first = ask(1, "v1");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(floats(first->outputs[0].tensor), (std::vector<float>{4, 5}));
  const auto same_tag = ask(1, "v1");
  ASSERT_TRUE(same_tag.ok());
  EXPECT_THAT(same_tag->report.ran, IsEmpty());
  const auto new_tag = ask(7, "v2");
  ASSERT_TRUE(new_tag.ok());
  EXPECT_THAT(new_tag->report.changed, ElementsAre("x"));
  EXPECT_EQ(floats(new_tag->outputs[0].tensor), (std::vector<float>{10, 11}));
}

TEST(VersionTags, TheCheckingModeReportsATagThatLied) {
  const CompiledProgram program(kDouble, {{"x", f32({2}, {1, 2})}, {"ids", i64({2}, {1, 2})}});
  const auto session = program.session(1 << 20, true);
  const auto ask = [&](float x) {
    return session->run({.inputs = {{"x", f32({2}, {x, x})}, {"ids", i64({2}, {3, 4})}},
                         .versions = {{"x", "v1"}}});
  };
  EXPECT_TRUE(ask(1).ok());
  EXPECT_TRUE(ask(1).ok());
  EXPECT_THAT(ask(2).status().message(),
              HasSubstr("version tag \"v1\" of input 'x' was seen with other contents"));
}

}  // namespace
}  // namespace changeaware::testing
