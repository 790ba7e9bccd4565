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
  json.EndObject();
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
  json.Key("bits_equal");
  json.Bool(result.bits_equal);
  if (!result.against.empty()) {
    member(json, "against", result.against);
    member(json, "theirs", result.theirs);
    member(json, "ratio", result.ratio);
    member(json, "difference", result.difference);
  }
  json.EndObject();
}

}  // namespace

std::string results_to_json(const std::vector<ScenarioResult>& results, int threads) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("threads");
  json.Int(threads);
  json.Key("scenarios");
  json.StartArray();
  for (const ScenarioResult& result : results) write(json, result);
  json.EndArray();
  json.EndObject();
  return buffer.GetString();
}

}  // namespace changeaware::bench
