#include "cli/explain_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

using ::testing::HasSubstr;
using Outcome = Decision::Outcome;
using Cause = Decision::Cause;

ReplayResult sample() {
  ReplayResult result;
  result.index = 3;
  result.microseconds = 1500;
  result.report.changed = {"text"};
  result.report.strategy = "no_retention";
  result.report.predicted_us = 1200;
  result.report.engine_us = 1300;
  result.report.decisions = {
      {"segment_image", Outcome::kRan, Cause::kEvicted, "it had to make room", false, "too large"},
      {"segment_text", Outcome::kRan, Cause::kInputChanged, "text changed", true, ""},
      {"segment_both", Outcome::kReused, Cause::kSameContents, "same bits", true, ""},
      {"segment_check", Outcome::kNotNeeded, Cause::kNotDemanded, "nobody reads it", false, ""}};
  return result;
}

TEST(ExplainReport, SaysForEachCallableWhatHappenedAndWhy) {
  EXPECT_EQ(explain_text(sample()),
            "request 3: text changed; 1.500 ms (1.300 ms of engine time, 1.200 ms predicted), "
            "strategy no_retention\n"
            "  segment_image  evicted     it had to make room  not retained: too large\n"
            "  segment_text   ran         text changed         retained\n"
            "  segment_both   reused      same bits            retained\n"
            "  segment_check  not needed  nobody reads it\n");
}

TEST(ExplainReport, JsonHasTheSame) {
  const std::string json = explain_json(sample());
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_THAT(json, HasSubstr(R"("index":3)"));
  EXPECT_THAT(json, HasSubstr(R"("strategy":"no_retention")"));
  EXPECT_THAT(json, HasSubstr(R"({"callable":"segment_image","what":"evicted","why":"it had to )"
                              R"(make room","retained":false,"not_retained_why":"too large"})"));
}

TEST(ExplainReport, AFailedRequestGivesItsError) {
  ReplayResult result;
  result.status = Status(StatusCode::kInvalidArgument, "no input 'x'");
  EXPECT_THAT(explain_text(result), HasSubstr("request 0: error:"));
  EXPECT_THAT(explain_text(result), HasSubstr("no input 'x'"));
  EXPECT_THAT(explain_json(result), HasSubstr(R"("error":)"));
}

}  // namespace
}  // namespace changeaware::cli
