#include "cli/replay_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/json_output.h"
#include "cli/text_table.h"

namespace changeaware::cli {

double percentile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double rank = std::ceil(fraction * static_cast<double>(samples.size()));
  return samples[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

void ReplayTally::add(const ReplayResult& result) {
  ++requests_;
  if (result.status.ok()) microseconds_.push_back(result.microseconds);
  if (result.equal) equal_ = equal_.value_or(true) && *result.equal;
}

ReplaySummary ReplayTally::summary() const {
  ReplaySummary out;
  out.requests = requests_;
  out.failed = requests_ - microseconds_.size();
  out.p50_us = percentile(microseconds_, 0.50);
  out.p95_us = percentile(microseconds_, 0.95);
  const double sum = std::accumulate(microseconds_.begin(), microseconds_.end(), 0.0);
  if (!microseconds_.empty()) out.mean_us = sum / static_cast<double>(microseconds_.size());
  out.equal = equal_;
  return out;
}

namespace {

void write_comparison(JsonOutput& json, const ReplayResult& result) {
  if (!result.equal) return;
  json.field("equal", *result.equal);
  if (!result.different.empty()) json.list("different", result.different);
  if (!result.reference_error.empty()) json.field("reference_error", result.reference_error);
}

void write_answer(JsonOutput& json, const ReplayResult& result) {
  json.list("changed", result.report.changed);
  json.field("strategy", result.report.strategy);
  json.list("ran", result.report.ran);
  json.list("reused", result.report.reused);
  json.field("microseconds", result.microseconds);
  json.field("fingerprint_us", result.report.fingerprint_us);
  json.field("engine_us", result.report.engine_us);
  json.key("outputs");
  json.begin_object();
  for (const auto& [name, digest] : result.outputs) {
    json.key(name);
    digest ? json.value(*digest) : json.null();
  }
  json.end_object();
}

void write_error(JsonOutput& json, const Status& status) {
  json.key("error");
  json.begin_object();
  json.field("code", status_code_name(status.code()));
  json.field("message", status.message());
  json.end_object();
}

}  // namespace

std::string replay_json(const ReplayResult& result) {
  JsonOutput json;
  json.begin_object();
  json.field("index", static_cast<uint64_t>(result.index));
  if (result.status.ok()) {
    write_answer(json, result);
  } else {
    write_error(json, result.status);
  }
  write_comparison(json, result);
  json.end_object();
  return json.text();
}

std::string replay_json(const ReplaySummary& summary) {
  JsonOutput json;
  json.begin_object();
  json.field("summary", true);
  json.field("requests", static_cast<uint64_t>(summary.requests));
  json.field("failed", static_cast<uint64_t>(summary.failed));
  if (summary.equal) json.field("equal", *summary.equal);
  json.field("p50_us", summary.p50_us);
  json.field("p95_us", summary.p95_us);
  json.field("mean_us", summary.mean_us);
  json.field("load_us", summary.load_us);
  json.field("peak_rss_bytes", summary.peak_rss_bytes);
  json.field("rss_bytes", summary.rss_bytes);
  json.field("retained_bytes", summary.stats.retained_bytes);
  json.field("retained_bytes_peak", summary.stats.retained_bytes_peak);
  json.field("evictions", summary.stats.evictions);
  json.key("runs");
  json.begin_object();
  for (const auto& [callable, runs] : summary.stats.runs) json.field(callable, runs);
  json.end_object();
  json.end_object();
  return json.text();
}

std::string replay_text_heading() {
  return fmt::format("{:>4}  {:>10}  {:<5}  {:<20}  {}", "#", "ms", "equal", "changed",
                     "ran / reused");
}

std::string replay_text(const ReplayResult& result) {
  const char* equal = !result.equal ? "-" : *result.equal ? "yes" : "NO";
  std::string line;
  if (result.status.ok()) {
    line = fmt::format("{:>4}  {:>10.3f}  {:<5}  {:<20}  {} / {}", result.index,
                       result.microseconds / 1000, equal, join_names(result.report.changed),
                       join_names(result.report.ran), join_names(result.report.reused));
  } else {
    line = fmt::format("{:>4}  {:>10}  {:<5}  error: {}", result.index, "-", equal,
                       result.status.to_string());
  }
  if (!result.different.empty()) line += "  differs: " + join_names(result.different);
  return line;
}

std::string replay_text(const ReplaySummary& summary) {
  std::string out = fmt::format("{} requests, {} failed", summary.requests, summary.failed);
  if (summary.equal) out += *summary.equal ? ", all equal to full runs" : ", NOT all equal";
  out += fmt::format("\n  p50 {:.3f} ms, p95 {:.3f} ms, mean {:.3f} ms, loading {:.1f} ms",
                     summary.p50_us / 1000, summary.p95_us / 1000, summary.mean_us / 1000,
                     summary.load_us / 1000);
  out += fmt::format("\n  resident {} (peak {}), retained {} (peak {})",
                     format_bytes(summary.rss_bytes), format_bytes(summary.peak_rss_bytes),
                     format_bytes(summary.stats.retained_bytes),
                     format_bytes(summary.stats.retained_bytes_peak));
  for (const auto& [callable, runs] : summary.stats.runs) {
    out += fmt::format("\n  {} ran {} times", callable, runs);
  }
  return out;
}

}  // namespace changeaware::cli
