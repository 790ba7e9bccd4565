#include "cli/replay_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

using testing::HasSubstr;

ReplayResult answered(double microseconds, std::optional<bool> equal = std::nullopt) {
  ReplayResult result;
  result.microseconds = microseconds;
  result.equal = equal;
  return result;
}

ReplayResult failed() {
  ReplayResult result;
  result.status = Status(StatusCode::kFailedAssertion, "x is negative");
  return result;
}

TEST(ReplayReport, PercentilesAreSamples) {
  EXPECT_EQ(percentile({}, 0.5), 0);
  EXPECT_EQ(percentile({7}, 0.95), 7);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.95), 4);
}

TEST(ReplayReport, FailedRequestsAreCountedButNotTimed) {
  ReplayTally tally;
  tally.add(answered(10));
  tally.add(failed());
  tally.add(answered(30));
  const ReplaySummary summary = tally.summary();
  EXPECT_EQ(summary.requests, 3u);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_EQ(summary.mean_us, 20);
  EXPECT_EQ(summary.p50_us, 10);
  EXPECT_EQ(summary.equal, std::nullopt);
}

TEST(ReplayReport, OneDifferenceMakesTheSummaryUnequal) {
  ReplayTally tally;
  tally.add(answered(1, true));
  EXPECT_EQ(tally.summary().equal, true);
  tally.add(answered(1, false));
  tally.add(answered(1, true));
  EXPECT_EQ(tally.summary().equal, false);
}

TEST(ReplayReport, ARequestIsOneLineOfJson) {
  ReplayResult result = answered(12.5, false);
  result.index = 3;
  result.report.changed = {"points"};
  result.report.strategy = "full_retention";
  result.report.ran = {"b"};
  result.report.reused = {"a"};
  result.outputs = {{"masks", "abc"}, {"nothing", std::nullopt}};
  result.different = {"masks"};
  EXPECT_EQ(replay_json(result),
            R"({"index":3,"changed":["points"],"strategy":"full_retention","ran":["b"],)"
            R"("reused":["a"],"microseconds":12.5,"fingerprint_us":0.0,"engine_us":0.0,)"
            R"("outputs":{"masks":"abc","nothing":null},"equal":false,"different":["masks"]})");
}

TEST(ReplayReport, AFailedRequestHasAnErrorInsteadOfAnAnswer) {
  EXPECT_EQ(replay_json(failed()),
            R"({"index":0,"error":{"code":"FailedAssertion","message":"x is negative"}})");
  EXPECT_THAT(replay_text(failed()), HasSubstr("error: FailedAssertion: x is negative"));
}

TEST(ReplayReport, TheSummaryIsMarkedAndFlat) {
  ReplaySummary summary;
  summary.requests = 2;
  summary.p50_us = 1.5;
  summary.peak_rss_bytes = 5000000000;
  summary.equal = true;
  summary.stats.runs = {{"main", 2}};
  const std::string json = replay_json(summary);
  EXPECT_THAT(json,
              HasSubstr(R"({"summary":true,"requests":2,"failed":0,"equal":true,"p50_us":1.5)"));
  EXPECT_THAT(json, HasSubstr(R"("peak_rss_bytes":5000000000)"));
  EXPECT_THAT(json, HasSubstr(R"("runs":{"main":2})"));
}

TEST(ReplayReport, ADifferenceStandsOutInTheTable) {
  ReplayResult result = answered(1000, false);
  result.different = {"masks"};
  EXPECT_THAT(replay_text(result), HasSubstr("NO"));
  EXPECT_THAT(replay_text(result), HasSubstr("differs: masks"));
}

}  // namespace
}  // namespace changeaware::cli
