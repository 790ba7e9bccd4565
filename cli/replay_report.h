// What `replay` prints: a line per request and a summary, as JSON or for people.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "changeaware/session.h"
#include "cli/replayer.h"

namespace changeaware::cli {

struct ReplaySummary {
  size_t requests = 0;
  size_t failed = 0;
  // Over the requests that succeeded; 0 when none did.
  double p50_us = 0;
  double p95_us = 0;
  double mean_us = 0;
  std::optional<bool> equal;  // with a reference: all requests were equal
  uint64_t peak_rss_bytes = 0;
  uint64_t rss_bytes = 0;
  double load_us = 0;  // making the executables ready, before the first request
  SessionStats stats;
};

class ReplayTally {
 public:
  void add(const ReplayResult& result);
  // Times and counts; memory, load time and stats are the caller's to fill.
  ReplaySummary summary() const;

 private:
  size_t requests_ = 0;
  std::vector<double> microseconds_;
  std::optional<bool> equal_;
};

// The smallest sample that at least `fraction` of the samples do not exceed; 0 without samples.
double percentile(std::vector<double> samples, double fraction);

std::string replay_json(const ReplayResult& result);
std::string replay_json(const ReplaySummary& summary);

std::string replay_text_heading();
std::string replay_text(const ReplayResult& result);
std::string replay_text(const ReplaySummary& summary);

}  // namespace changeaware::cli
