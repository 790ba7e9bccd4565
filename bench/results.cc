#include "bench/results.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace changeaware::bench {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void member(Writer& json, const char* name, const std::string& value) {
  json.Key(name);
  json.String(value.c_str());
}

void member(Writer& json, const char* name, double value) {
  json.Key(name);
  json.Double(value);
}

void member(Writer& json, const char* name, const std::vector<std::string>& values) {
  json.Key(name);
  json.StartArray();
  for (const std::string& value : values) json.String(value.c_str());
  json.EndArray();
}

void member(Writer& json, const char* name, const Times& times) {
  json.Key(name);
  json.StartObject();
  member(json, "p50_us", times.p50_us);
  member(json, "p95_us", times.p95_us);
  member(json, "mean_us", times.mean_us);
  json.EndObject();
}

void member(Writer& json, const char* name, uint64_t value) {
  json.Key(name);
  json.Uint64(value);
}

void member(Writer& json, const char* name, const std::map<std::string, uint64_t>& counts) {
  json.Key(name);
  json.StartObject();
  for (const auto& [key, count] : counts) member(json, key.c_str(), count);
  json.EndObject();
}

void flag(Writer& json, const char* name, bool value) {
  json.Key(name);
  json.Bool(value);
}

void write(Writer& json, const ScenarioResult& result) {
  json.StartObject();
  member(json, "model", result.model);
  member(json, "name", result.name);
  member(json, "runs", static_cast<double>(result.runs));
  member(json, "ours", result.ours);
  member(json, "engine_us", result.engine_us);
  member(json, "fingerprint_us", result.fingerprint_us);
  member(json, "session_us", result.session_us);
  member(json, "ran", result.ran);
  member(json, "reused", result.reused);
  flag(json, "bits_equal", result.bits_equal);
  if (!result.against.empty()) {
    member(json, "against", result.against);
    member(json, "theirs", result.theirs);
    member(json, "ratio", result.ratio);
    member(json, "difference", result.difference);
  }
  json.EndObject();
}

void write(Writer& json, const TraceResult& result) {
  json.StartObject();
  member(json, "model", result.model);
  member(json, "name", result.name);
  member(json, "requests", uint64_t{result.requests});
  member(json, "adaptive", result.adaptive);
  member(json, "full", result.full);
  member(json, "ratio", result.ratio);
  flag(json, "bits_equal", result.bits_equal);
  member(json, "strategies", result.strategies);
  member(json, "runs", result.runs);
  json.EndObject();
}

void write(Writer& json, const BudgetResult& result) {
  json.StartObject();
  member(json, "model", result.model);
  member(json, "name", result.name);
  member(json, "budget_bytes", result.budget_bytes);
  member(json, "tight", result.tight);
  member(json, "loose", result.loose);
  member(json, "ratio", result.ratio);
  flag(json, "bits_equal", result.bits_equal);
  member(json, "retained_bytes_peak", result.retained_bytes_peak);
  member(json, "strategy", result.strategy);
  member(json, "ran", result.ran);
  member(json, "reused", result.reused);
  member(json, "runs", result.runs);
  member(json, "requests", result.requests);
  json.EndObject();
}

template <class T>
void write_list(Writer& json, const char* name, const std::vector<T>& results) {
  json.Key(name);
  json.StartArray();
  for (const T& result : results) write(json, result);
  json.EndArray();
}

}  // namespace

std::string results_to_json(const Results& results) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("threads");
  json.Int(results.threads);
  write_list(json, "scenarios", results.scenarios);
  write_list(json, "traces", results.traces);
  write_list(json, "budgets", results.budgets);
  json.EndObject();
  return buffer.GetString();
}

}  // namespace changeaware::bench
