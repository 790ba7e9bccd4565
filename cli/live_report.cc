#include "cli/live_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/json_output.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

uint64_t runs_of(const SessionStats& stats, const std::string& callable) {
  const auto it = stats.runs.find(callable);
  return it == stats.runs.end() ? 0 : it->second;
}

Rows resident_rows(const SessionStats& stats) {
  Rows rows;
  for (const auto& [callable, bytes] : stats.resident)
    rows.push_back(
        {callable, format_bytes(bytes), fmt::format("{} runs", runs_of(stats, callable))});
  return rows;
}

Rows retained_rows(const SessionStats& stats) {
  Rows rows;
  for (const RetainedEntry& entry : stats.retained) {
    rows.push_back({entry.callable, entry.version, format_bytes(entry.bytes),
                    fmt::format("{} uses", entry.uses)});
  }
  return rows;
}

void write_residency(JsonOutput& json, const SessionStats& stats) {
  json.field("resident_bytes", stats.resident_bytes);
  json.field("resident_bytes_peak", stats.resident_bytes_peak);
  json.field("loads", stats.loads);
  json.field("unloads", stats.unloads);
  json.field("blobs_used", stats.blobs_used);
  json.field("blobs_stored", stats.blobs_stored);
  json.list("blobs_ignored", stats.blobs_ignored);
  json.key("resident");
  json.begin_array();
  for (const auto& [callable, bytes] : stats.resident) {
    json.begin_object();
    json.field("callable", callable);
    json.field("bytes", bytes);
    json.field("runs", runs_of(stats, callable));
    json.end_object();
  }
  json.end_array();
}

void write_retained(JsonOutput& json, const SessionStats& stats) {
  json.field("hits", stats.hits);
  json.field("misses", stats.misses);
  json.field("evictions", stats.evictions);
  json.field("retained_bytes", stats.retained_bytes);
  json.field("retained_bytes_peak", stats.retained_bytes_peak);
  json.field("retained_entries", stats.retained_entries);
  json.key("retained");
  json.begin_array();
  for (const RetainedEntry& entry : stats.retained) {
    json.begin_object();
    json.field("callable", entry.callable);
    json.field("version", entry.version);
    json.field("bytes", entry.bytes);
    json.field("uses", entry.uses);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string live_text(const SessionStats& stats) {
  std::string out = fmt::format("{} requests, {} failed\n", stats.requests, stats.failed);
  out += fmt::format("resident: {}, peak {}; {} loads, {} unloads; {} from blobs\n",
                     format_bytes(stats.resident_bytes), format_bytes(stats.resident_bytes_peak),
                     stats.loads, stats.unloads, stats.blobs_used);
  out += format_table(resident_rows(stats), 2);
  for (const std::string& reason : stats.blobs_ignored) out += "  blob ignored: " + reason + "\n";
  out += fmt::format("retained: {} in {} entries, peak {}; {} hits, {} misses, {} evictions\n",
                     format_bytes(stats.retained_bytes), stats.retained_entries,
                     format_bytes(stats.retained_bytes_peak), stats.hits, stats.misses,
                     stats.evictions);
  out += format_table(retained_rows(stats), 2);
  const uint64_t more =
      stats.retained_entries - std::min<uint64_t>(stats.retained_entries, stats.retained.size());
  if (more > 0) out += fmt::format("  and {} smaller ones\n", more);
  out += fmt::format("process: {} anonymous, {} of mapped files\n",
                     format_bytes(stats.process_anonymous_bytes),
                     format_bytes(stats.process_file_bytes));
  return out;
}

std::string live_json(const SessionStats& stats) {
  JsonOutput json;
  json.begin_object();
  json.field("requests", stats.requests);
  json.field("failed", stats.failed);
  write_residency(json, stats);
  write_retained(json, stats);
  json.field("process_anonymous_bytes", stats.process_anonymous_bytes);
  json.field("process_file_bytes", stats.process_file_bytes);
  json.end_object();
  return json.text();
}

}  // namespace changeaware::cli
