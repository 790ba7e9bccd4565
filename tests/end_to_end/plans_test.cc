// Plans made ahead: right while the session's state is what they were made in, refused after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTwoTowers = R"(graph(%image: f32[16, 256], %text: f32[8, 256]) {
  %wi = constant f32[256, 256] "image.weight"
  %wt = constant f32[256, 256] "text.weight"
  %bias = constant f32[1] {0.25}
  %ip: f32[16, 256] = aten.linear.default(%image, %wi)
  %if: f32[16, 256] = aten.add.Tensor(%ip, %bias)
  %tp: f32[8, 256] = aten.linear.default(%text, %wt)
  %tf: f32[8, 256] = aten.sub.Tensor(%tp, %bias)
  %out: f32[16, 8] = aten.linear.default(%if, %tf)
  return (%out)
})";

Request request(unsigned image, unsigned text) {
  return {.inputs = {{"image", noise({16, 256}, image)}, {"text", noise({8, 256}, text)}}};
}

class Plans : public ::testing::Test {
 protected:
  Plans()
      : program(kTwoTowers, request(0, 100).inputs, CostSource::kMeasured),
        session(program.session()) {
    EXPECT_TRUE(session->run(request(1, 101)).ok());
  }

  Plan plan(const Request& r) {
    auto made = session->plan(r);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }

  void expect_stale(const Request& r, const Plan& p, const std::string& why) {
    const uint64_t retained = session->stats().retained_bytes;
    const auto runs = session->stats().runs;
    const auto answer = session->run(r, p);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.status().code(), StatusCode::kStalePlan);
    EXPECT_THAT(answer.status().message(), HasSubstr(why));
    EXPECT_EQ(session->stats().retained_bytes, retained);
    EXPECT_EQ(session->stats().runs, runs) << "nothing ran";
  }

  CompiledProgram program;
  std::unique_ptr<Session> session;
};

std::vector<std::string> planned_runs(const Plan& plan) {
  std::vector<std::string> out;
  for (const Decision& d : plan.decisions) {
    if (d.outcome == Decision::Outcome::kRan) out.push_back(d.callable);
  }
  return out;
}

TEST_F(Plans, SayWhatWillRunAndRunIt) {
  const Request r = request(1, 102);
  const Plan p = plan(r);
  EXPECT_THAT(planned_runs(p), ElementsAre("segment_text", "segment_image+text"));
  EXPECT_EQ(p.decisions[0].outcome, Decision::Outcome::kReused);
  EXPECT_GT(p.predicted_us, 0);
  EXPECT_EQ(p.predicted_load_us, 0) << "everything is loaded";
  const auto answer = session->run(r, p);
  ASSERT_TRUE(answer.ok()) << answer.status().to_string();
  EXPECT_EQ(answer->report.ran, planned_runs(p));
  EXPECT_EQ(answer->report.strategy, p.strategy);
  expect_identical(answer->outputs, program.full_run(r.inputs));
}

TEST_F(Plans, ChangeNothingByThemselves) {
  const auto before = session->stats();
  for (int i = 0; i < 3; ++i) plan(request(7, 107));
  const auto after = session->stats();
  EXPECT_EQ(after.runs, before.runs);
  EXPECT_EQ(after.retained_bytes, before.retained_bytes);
  EXPECT_EQ(after.requests, before.requests);
  EXPECT_THAT(session->run(request(1, 102))->report.changed, ElementsAre("text"));
}

TEST_F(Plans, PredictLoadingWhatIsNotLoaded) {
  const auto fresh = Session::create(*Package::open(program.path()), {});
  ASSERT_TRUE(fresh.ok());
  const auto cold = (*fresh)->plan(request(1, 101));
  ASSERT_TRUE(cold.ok());
  EXPECT_GT(cold->predicted_load_us, 0);
  EXPECT_GT(cold->resident_bytes, 0u);
  ASSERT_TRUE((*fresh)->load().ok());
  EXPECT_EQ((*fresh)->plan(request(1, 101))->predicted_load_us, 0);
}

TEST_F(Plans, MayBeMadeFromVersionTagsAlone) {
  Request tagged = request(1, 101);
  tagged.versions = {{"image", "a"}, {"text", "b"}};
  ASSERT_TRUE(session->run(tagged).ok());
  Request ahead;
  ahead.versions = {{"image", "a"}, {"text", "c"}};
  const Plan p = plan(ahead);
  EXPECT_THAT(planned_runs(p), ElementsAre("segment_text", "segment_image+text"));
  tagged.inputs["text"] = noise({8, 256}, 103);
  tagged.versions["text"] = "c";
  const auto answer = session->run(tagged, p);
  ASSERT_TRUE(answer.ok()) << answer.status().to_string();
  EXPECT_EQ(answer->report.ran, planned_runs(p));
  const auto valueless = session->run(ahead, p);
  EXPECT_EQ(valueless.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(Plans, AreStaleForOtherContents) {
  expect_stale(request(1, 103), plan(request(1, 102)), "the version of an input");
}

TEST_F(Plans, AreStaleForAnotherQuestion) {
  Request r = request(1, 102);
  const Plan p = plan(r);
  r.reuse = false;
  expect_stale(r, p, "what is asked");
}

TEST_F(Plans, AreStaleWhenWhatIsRetainedChanged) {
  const Request r = request(1, 102);
  const Plan p = plan(r);
  session->clear();
  expect_stale(r, p, "what is retained");
}

TEST_F(Plans, AreStaleOnceTheyWereRun) {
  const Request r = request(1, 102);
  const Plan p = plan(r);
  ASSERT_TRUE(session->run(r, p).ok());
  expect_stale(r, p, "what is retained");
}

TEST_F(Plans, AreStaleWhenWhatIsLoadedChanged) {
  const auto fresh = *Session::create(*Package::open(program.path()), {});
  const Request r = request(1, 101);
  const Plan p = *fresh->plan(r);
  ASSERT_TRUE(fresh->load().ok());
  const auto answer = fresh->run(r, p);
  EXPECT_EQ(answer.status().code(), StatusCode::kStalePlan);
  EXPECT_THAT(answer.status().message(), HasSubstr("what is loaded"));
}

TEST_F(Plans, AreStaleWhenABudgetChanged) {
  const Request r = request(1, 102);
  Plan p = plan(r);
  session->set_budgets(1 << 29, UINT64_MAX);
  expect_stale(r, p, "a budget");
  p = plan(r);
  session->set_budgets(1 << 29, 1 << 30);
  expect_stale(r, p, "a budget");
  p = plan(r);
  EXPECT_TRUE(session->run(r, p).ok());
}

TEST_F(Plans, AreRefusedWhenAltered) {
  const Request r = request(1, 102);
  const Plan good = plan(r);
  std::vector<Plan> altered(6, good);
  altered[0].strategy = "monolithic";
  altered[1].predicted_us += 1;
  altered[2].decisions[0].outcome = Decision::Outcome::kNotNeeded;
  altered[3].state += "x";
  altered[4].seal[0] = altered[4].seal[0] == '0' ? '1' : '0';
  altered[5].decisions.pop_back();
  for (const Plan& p : altered) expect_stale(r, p, "altered");
  expect_stale(r, Plan(), "altered");
  EXPECT_TRUE(session->run(r, good).ok());
}

TEST_F(Plans, AreRefusedByAnotherSession) {
  const Request r = request(1, 102);
  const auto other = program.session();
  const auto answer = other->run(r, plan(r));
  EXPECT_EQ(answer.status().code(), StatusCode::kStalePlan);
  EXPECT_THAT(answer.status().message(), HasSubstr("another session"));
}

TEST_F(Plans, OfAForcedStrategyKeepIt) {
  Request r = request(1, 102);
  r.strategy = "monolithic";
  const Plan p = plan(r);
  EXPECT_THAT(planned_runs(p), ElementsAre("main"));
  const auto answer = session->run(r, p);
  ASSERT_TRUE(answer.ok()) << answer.status().to_string();
  EXPECT_EQ(answer->report.strategy, "monolithic");
  EXPECT_THAT(plan(r).decisions[0].reason, HasSubstr("retained"));
  EXPECT_THAT(planned_runs(plan(r)), IsEmpty());
}

}  // namespace
}  // namespace changeaware::testing
