#include "bench/workload.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace changeaware::bench {
namespace {

using Json = rapidjson::Value;

const Json& member(const Json& object, const char* name) {
  const auto it = object.FindMember(name);
  if (it == object.MemberEnd()) throw std::runtime_error(std::string("no member ") + name);
  return it->value;
}

[[noreturn]] void wrong_type(const char* name) {
  throw std::runtime_error(std::string("wrong type of member ") + name);
}

std::string text(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.IsString()) wrong_type(name);
  return value.GetString();
}

std::string text_or_empty(const Json& object, const char* name) {
  return object.HasMember(name) ? text(object, name) : std::string();
}

size_t count(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.IsUint64()) wrong_type(name);
  return value.GetUint64();
}

bool flag(const Json& object, const char* name) {
  const auto it = object.FindMember(name);
  if (it == object.MemberEnd()) return false;
  if (!it->value.IsBool()) wrong_type(name);
  return it->value.GetBool();
}

template <class Visit>
void for_each(const Json& object, const char* name, Visit visit) {
  const Json& list = member(object, name);
  if (!list.IsArray()) wrong_type(name);
  for (const Json& element : list.GetArray()) visit(element);
}

Variation variation(const std::string& name) {
  static const std::map<std::string, Variation> kNames = {{"scale", Variation::kScale},
                                                          {"roll", Variation::kRoll},
                                                          {"tail_mask", Variation::kTailMask}};
  const auto it = kNames.find(name);
  if (it == kNames.end()) throw std::runtime_error("no variation " + name);
  return it->second;
}

Sample read_sample(const Json& json) {
  Shape shape;
  for_each(json, "shape", [&](const Json& size) {
    if (!size.IsInt64()) wrong_type("shape");
    shape.push_back(size.GetInt64());
  });
  const Result<DType> dtype = parse_dtype(text(json, "dtype"));
  if (!dtype.ok()) throw std::runtime_error(dtype.status().to_string());
  return {text(json, "name"), read_raw(text(json, "file"), *dtype, shape),
          variation(text(json, "variation"))};
}

std::vector<std::string> texts(const Json& object, const char* name) {
  std::vector<std::string> out;
  for_each(object, name, [&](const Json& element) {
    if (!element.IsString()) wrong_type(name);
    out.emplace_back(element.GetString());
  });
  return out;
}

Scenario read_scenario(const Json& json) {
  Scenario out;
  out.name = text(json, "name");
  out.changed = texts(json, "changed");
  out.against = text_or_empty(json, "against");
  out.full = flag(json, "full");
  out.tags = flag(json, "tags");
  out.runs = count(json, "runs");
  out.warm_up = count(json, "warm_up");
  if (out.runs == 0) throw std::runtime_error("runs must not be 0");
  return out;
}

Trace read_trace(const Json& json) {
  Trace out;
  out.name = text(json, "name");
  for_each(json, "requests", [&](const Json& request) {
    if (!request.IsObject()) wrong_type("requests");
    auto& steps = out.requests.emplace_back();
    for (const auto& input : request.GetObject()) {
      steps[input.name.GetString()] = count(request, input.name.GetString());
    }
  });
  if (out.requests.size() < 2) throw std::runtime_error("a trace has at least two requests");
  return out;
}

BudgetWork read_budget(const Json& json) {
  BudgetWork out;
  out.name = text(json, "name");
  out.changed = texts(json, "changed");
  out.budget_bytes = count(json, "budget_bytes");
  out.runs = count(json, "runs");
  out.warm_up = count(json, "warm_up");
  if (out.runs == 0) throw std::runtime_error("runs must not be 0");
  return out;
}

ModelWork read_model(const Json& json) {
  ModelWork out;
  out.name = text(json, "name");
  out.package = text(json, "package");
  out.whole = text_or_empty(json, "whole");
  out.encoder = text_or_empty(json, "encoder");
  out.decoder = text_or_empty(json, "decoder");
  const Json& tolerance = member(json, "tolerance");
  if (!tolerance.IsNumber()) wrong_type("tolerance");
  out.tolerance = tolerance.GetDouble();
  for_each(json, "samples", [&](const Json& s) { out.samples.push_back(read_sample(s)); });
  for_each(json, "scenarios", [&](const Json& s) { out.scenarios.push_back(read_scenario(s)); });
  for_each(json, "traces", [&](const Json& t) { out.traces.push_back(read_trace(t)); });
  for_each(json, "budgets", [&](const Json& b) { out.budgets.push_back(read_budget(b)); });
  return out;
}

}  // namespace

Workload read_workload(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error(path + ": cannot be read");
  rapidjson::Document document;
  document.Parse(bytes.data(), bytes.size());
  if (document.HasParseError() || !document.IsObject()) {
    throw std::runtime_error(
        path + ": no JSON object: " + rapidjson::GetParseError_En(document.GetParseError()));
  }
  Workload out;
  try {
    out.threads = static_cast<int>(count(document, "threads"));
    for_each(document, "models", [&](const Json& m) { out.models.push_back(read_model(m)); });
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
  return out;
}

}  // namespace changeaware::bench
