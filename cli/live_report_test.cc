#include "cli/live_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

SessionStats example() {
  SessionStats stats;
  stats.requests = 5;
  stats.failed = 1;
  stats.hits = 7;
  stats.misses = 3;
  stats.evictions = 2;
  stats.retained_bytes = 4096;
  stats.retained_bytes_peak = 8192;
  stats.retained_entries = 3;
  stats.retained = {{"segment_a", "0badcafe", 3000, 4}, {"segment_b", "00000001", 1000, 1}};
  stats.resident_bytes = 9000000;
  stats.resident_bytes_peak = 9500000;
  stats.loads = 2;
  stats.unloads = 1;
  stats.resident = {{"segment_a", 9000000}};
  stats.runs = {{"segment_a", 4}};
  stats.blobs_ignored = {"x.blob: the checksum does not fit"};
  stats.process_anonymous_bytes = 20000000;
  stats.process_file_bytes = 30000000;
  return stats;
}

TEST(LiveReport, TextListsCallablesAndEntries) {
  EXPECT_THAT(live_text(example()),
              AllOf(HasSubstr("5 requests, 1 failed"), HasSubstr("segment_a  9.0 MB  4 runs"),
                    HasSubstr("segment_b  00000001"), HasSubstr("and 1 smaller ones"),
                    HasSubstr("7 hits, 3 misses, 2 evictions"), HasSubstr("2 loads, 1 unloads"),
                    HasSubstr("the checksum does not fit"),
                    HasSubstr("process: 20.0 MB anonymous, 30.0 MB of mapped files")));
}

TEST(LiveReport, NothingIsLeftOutWhereAllEntriesAreListed) {
  SessionStats stats = example();
  stats.retained_entries = 2;
  EXPECT_THAT(live_text(stats), Not(HasSubstr("smaller")));
}

TEST(LiveReport, JsonHoldsTheSameNumbers) {
  EXPECT_THAT(
      live_json(example()),
      AllOf(HasSubstr(R"("resident":[{"callable":"segment_a","bytes":9000000,"runs":4}])"),
            HasSubstr(R"({"callable":"segment_a","version":"0badcafe","bytes":3000,"uses":4})"),
            HasSubstr(R"("hits":7,"misses":3,"evictions":2)"),
            HasSubstr(R"("process_anonymous_bytes":20000000,"process_file_bytes":30000000)")));
}

}  // namespace
}  // namespace changeaware::cli
