#include "cli/trace.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/error.h"

namespace changeaware::cli {
namespace {

using rapidjson::Value;

Status expected(const std::string& place, std::string_view what) {
  return error(StatusCode::kCorrupt, "{}: expected {}", place, what);
}

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

Result<std::map<std::string, std::string>> string_map(const Value& value,
                                                      const std::string& place) {
  if (!value.IsObject()) return expected(place, "an object of strings");
  std::map<std::string, std::string> out;
  for (const auto& member : value.GetObject()) {
    const std::string name(text_of(member.name));
    if (!member.value.IsString()) return expected(place + "." + name, "a string");
    if (!out.emplace(name, text_of(member.value)).second) {
      return error(StatusCode::kCorrupt, "{}.{}: comes twice", place, name);
    }
  }
  return out;
}

Status parse_inputs(const Value& value, const std::string& place, TraceRequest& request) {
  CA_ASSIGN_OR_RETURN(request.inputs, string_map(value, place));
  return {};
}

Status parse_versions(const Value& value, const std::string& place, TraceRequest& request) {
  CA_ASSIGN_OR_RETURN(request.versions, string_map(value, place));
  return {};
}

Status parse_want(const Value& value, const std::string& place, TraceRequest& request) {
  if (!value.IsArray()) return expected(place, "a list of strings");
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
    if (!value[i].IsString()) return expected(fmt::format("{}[{}]", place, i), "a string");
    request.want.emplace_back(text_of(value[i]));
  }
  return {};
}

struct Field {
  std::string_view name;
  Status (*parse)(const Value& value, const std::string& place, TraceRequest& request);
};
constexpr Field kFields[] = {
    {"inputs", parse_inputs}, {"versions", parse_versions}, {"want", parse_want}};

Status parse_member(std::string_view name, const Value& value, const std::string& request_place,
                    TraceRequest& request) {
  const std::string place = fmt::format("{}.{}", request_place, name);
  for (const Field& field : kFields) {
    if (field.name == name) return field.parse(value, place, request);
  }
  return error(StatusCode::kCorrupt, "{}: unknown; a request has inputs, versions and want", place);
}

Result<TraceRequest> parse_request(const Value& value, const std::string& place) {
  if (!value.IsObject()) return expected(place, "an object");
  TraceRequest request;
  for (const auto& member : value.GetObject()) {
    CA_RETURN_IF_ERROR(parse_member(text_of(member.name), member.value, place, request));
  }
  return request;
}

}  // namespace

Result<std::vector<TraceRequest>> parse_trace(std::string_view text, const std::string& folder) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError()) {
    return error(StatusCode::kCorrupt, "not JSON at byte {}: {}", document.GetErrorOffset(),
                 rapidjson::GetParseError_En(document.GetParseError()));
  }
  if (!document.IsObject()) return expected("trace", "an object with a list named requests");
  const auto requests = document.FindMember("requests");
  if (requests == document.MemberEnd() || !requests->value.IsArray()) {
    return expected("requests", "a list");
  }
  std::vector<TraceRequest> out;
  for (rapidjson::SizeType i = 0; i < requests->value.Size(); ++i) {
    CA_ASSIGN_OR_RETURN(TraceRequest request,
                        parse_request(requests->value[i], fmt::format("requests[{}]", i)));
    for (auto& [name, file] : request.inputs) {
      file = (std::filesystem::path(folder) / file).string();  // an absolute file stays as it is
    }
    out.push_back(std::move(request));
  }
  return out;
}

Result<std::vector<TraceRequest>> read_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
  auto trace = parse_trace(text, std::filesystem::path(path).parent_path().string());
  if (!trace.ok()) return trace.status().with_context(path);
  return trace;
}

}  // namespace changeaware::cli
