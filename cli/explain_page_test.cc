#include "cli/explain_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = Decision::Outcome;
using Cause = Decision::Cause;

TEST(ExplainPage, HasACellForEachCallableOfEachRequestAndSaysWhy) {
  Manifest manifest;
  manifest.callables = {{.name = "segment_a<b>", .dependencies = {"a<b>"}, .node_count = 12}};
  ReplayResult first;
  first.report.changed = {"a<b>"};
  first.report.strategy = "full_retention";
  first.report.decisions = {
      {"segment_a<b>", Outcome::kRan, Cause::kInputChanged, "a<b> changed", true, ""}};
  ReplayResult second = first;
  second.index = 1;
  second.report.changed = {};
  second.report.decisions[0] = {
      "segment_a<b>", Outcome::kReused, Cause::kRetained, "retained for these inputs", true, ""};
  ReplayResult failed;
  failed.index = 2;
  failed.status = Status(StatusCode::kInvalidArgument, "no input 'c'");
  const std::string page = explain_page("demo & more", manifest, {first, second, failed});
  EXPECT_THAT(page, HasSubstr("<h1>demo &amp; more</h1>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"ran\" title=\"a&lt;b&gt; changed\">ran"));
  EXPECT_THAT(page, HasSubstr("<td class=\"reused\" title=\"retained for these inputs\">reused"));
  EXPECT_THAT(page, HasSubstr("no input 'c'"));
  EXPECT_THAT(page, Not(HasSubstr("a<b>"))) << "names are escaped";
}

}  // namespace
}  // namespace changeaware::cli
