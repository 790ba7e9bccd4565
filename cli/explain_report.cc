#include "cli/explain_report.h"

#include <fmt/format.h>

#include "cli/json_output.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

std::string retention_text(const Decision& decision) {
  if (decision.retained) return "retained";
  if (decision.not_retained_why.empty()) return "";
  return "not retained: " + decision.not_retained_why;
}

void write_decision(JsonOutput& json, const Decision& decision) {
  json.begin_object();
  json.field("callable", decision.callable);
  json.field("what", decision_word(decision));
  json.field("why", decision.reason);
  json.field("retained", decision.retained);
  json.field("not_retained_why", decision.not_retained_why);
  json.end_object();
}

}  // namespace

std::string_view decision_word(const Decision& decision) {
  switch (decision.outcome) {
    case Decision::Outcome::kReused: return "reused";
    case Decision::Outcome::kNotNeeded: return "not needed";
    case Decision::Outcome::kRan: break;
  }
  return decision.cause == Decision::Cause::kEvicted ? "evicted" : "ran";
}

std::string explain_json(const ReplayResult& result) {
  JsonOutput json;
  json.begin_object();
  json.field("index", static_cast<uint64_t>(result.index));
  if (result.status.ok()) {
    json.list("changed", result.report.changed);
    json.field("strategy", result.report.strategy);
    json.field("microseconds", result.microseconds);
    json.field("predicted_us", result.report.predicted_us);
    json.field("engine_us", result.report.engine_us);
    json.key("callables");
    json.begin_array();
    for (const Decision& decision : result.report.decisions) write_decision(json, decision);
    json.end_array();
  } else {
    json.field("error", result.status.to_string());
  }
  json.end_object();
  return json.text();
}

std::string explain_text(const ReplayResult& result) {
  if (!result.status.ok()) {
    return fmt::format("request {}: error: {}\n", result.index, result.status.to_string());
  }
  const Report& report = result.report;
  std::string out = fmt::format(
      "request {}: {} changed; {:.3f} ms ({:.3f} ms of engine time, {:.3f} ms predicted), strategy "
      "{}\n",
      result.index, join_names(report.changed, "nothing"), result.microseconds / 1000,
      report.engine_us / 1000, report.predicted_us / 1000, report.strategy);
  std::vector<std::vector<std::string>> rows;
  for (const Decision& decision : report.decisions) {
    rows.push_back({decision.callable, std::string(decision_word(decision)), decision.reason,
                    retention_text(decision)});
  }
  return out + format_table(rows, 2);
}

}  // namespace changeaware::cli
