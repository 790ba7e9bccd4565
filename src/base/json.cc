#include "base/json.h"

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <limits>

#include "base/errors.h"

namespace changeaware {
namespace {

using rapidjson::Value;

const Value& as_value(const void* v) { return *static_cast<const Value*>(v); }

// Deeper places are reported without a path: no real file has them, and the search recurses.
constexpr int kDeepestPath = 500;

// Appends the path from `from` to `target`; false when it is not below it.
bool find_path(const Value& from, const Value* target, std::string& path, int depth = 0) {
  if (&from == target) return true;
  if (depth == kDeepestPath) return false;
  const size_t length = path.size();
  if (from.IsObject()) {
    for (const auto& member : from.GetObject()) {
      if (!path.empty()) path += '.';
      path.append(member.name.GetString(), member.name.GetStringLength());
      if (find_path(member.value, target, path, depth + 1)) return true;
      path.resize(length);
    }
  } else if (from.IsArray()) {
    for (rapidjson::SizeType i = 0; i < from.Size(); ++i) {
      path += fmt::format("[{}]", i);
      if (find_path(from[i], target, path, depth + 1)) return true;
      path.resize(length);
    }
  }
  return false;
}

}  // namespace

struct JsonDocument::Impl {
  rapidjson::Document document;
};

JsonDocument::JsonDocument() : impl_(std::make_unique<Impl>()) {}
JsonDocument::~JsonDocument() = default;

Result<std::unique_ptr<JsonDocument>> JsonDocument::parse(std::string_view text,
                                                          std::string source) {
  std::unique_ptr<JsonDocument> out(new JsonDocument());
  out->source_ = std::move(source);
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseValidateEncodingFlag;
  auto& document = out->impl_->document;
  document.Parse<kFlags>(text.data(), text.size());
  if (document.HasParseError()) {
    return corrupt("{}: not JSON at byte {}: {}", out->source_, document.GetErrorOffset(),
                   rapidjson::GetParseError_En(document.GetParseError()));
  }
  return out;
}

JsonView JsonDocument::root() const {
  return JsonView(this, static_cast<const Value*>(&impl_->document));
}

bool JsonView::is_null() const { return as_value(value_).IsNull(); }
bool JsonView::is_object() const { return as_value(value_).IsObject(); }
bool JsonView::is_array() const { return as_value(value_).IsArray(); }
bool JsonView::is_string() const { return as_value(value_).IsString(); }
bool JsonView::is_bool() const { return as_value(value_).IsBool(); }
bool JsonView::is_int() const { return as_value(value_).IsInt64(); }
bool JsonView::is_number() const { return as_value(value_).IsNumber(); }

const char* JsonView::kind() const {
  const Value& v = as_value(value_);
  if (v.IsNull()) return "null";
  if (v.IsObject()) return "an object";
  if (v.IsArray()) return "a list";
  if (v.IsString()) return "a string";
  if (v.IsBool()) return "a boolean";
  return "a number";
}

std::string JsonView::path() const {
  std::string path;
  const Value* root = &document_->impl_->document;
  if (find_path(*root, &as_value(value_), path)) return path.empty() ? "top level" : path;
  return "a deeply nested place";
}

Status JsonView::error(std::string_view message) const {
  return corrupt("{}: {}: {}", document_->source_, path(), message);
}

Result<JsonView> JsonView::get(std::string_view key) const {
  if (!is_object())
    return error(fmt::format("expected an object with \"{}\", found {}", key, kind()));
  const auto& object = as_value(value_);
  const auto it = object.FindMember(Value(rapidjson::StringRef(key.data(), key.size())));
  if (it == object.MemberEnd()) return error(fmt::format("no field \"{}\"", key));
  return JsonView(document_, &it->value);
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  const auto& object = as_value(value_);
  const auto it = object.FindMember(Value(rapidjson::StringRef(key.data(), key.size())));
  if (it == object.MemberEnd() || it->value.IsNull()) return std::nullopt;
  return JsonView(document_, &it->value);
}

Result<std::vector<std::pair<std::string_view, JsonView>>> JsonView::members() const {
  if (!is_object()) return error(fmt::format("expected an object, found {}", kind()));
  std::vector<std::pair<std::string_view, JsonView>> out;
  for (const auto& m : as_value(value_).GetObject()) {
    out.emplace_back(std::string_view(m.name.GetString(), m.name.GetStringLength()),
                     JsonView(document_, &m.value));
  }
  return out;
}

Result<std::pair<std::string_view, JsonView>> JsonView::only_member() const {
  CA_ASSIGN_OR_RETURN(auto all, members());
  if (all.size() != 1) return error(fmt::format("expected one member, found {}", all.size()));
  return all.front();
}

Result<std::vector<JsonView>> JsonView::elements() const {
  if (!is_array()) return error(fmt::format("expected a list, found {}", kind()));
  std::vector<JsonView> out;
  for (const auto& item : as_value(value_).GetArray()) out.push_back(JsonView(document_, &item));
  return out;
}

Result<int64_t> JsonView::as_int() const {
  if (!is_int()) return error(fmt::format("expected an integer, found {}", kind()));
  return as_value(value_).GetInt64();
}

Result<double> JsonView::as_double() const {
  if (is_number()) return as_value(value_).GetDouble();
  if (is_string()) {
    const std::string_view text = as_value(value_).GetString();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  return error(fmt::format("expected a number, found {}", kind()));
}

Result<bool> JsonView::as_bool() const {
  if (!is_bool()) return error(fmt::format("expected a boolean, found {}", kind()));
  return as_value(value_).GetBool();
}

Result<std::string_view> JsonView::as_string() const {
  if (!is_string()) return error(fmt::format("expected a string, found {}", kind()));
  const Value& v = as_value(value_);
  return std::string_view(v.GetString(), v.GetStringLength());
}

namespace {
using Encoding = rapidjson::UTF8<>;
constexpr unsigned kWriteFlags = rapidjson::kWriteNanAndInfFlag;
using Writer = rapidjson::Writer<rapidjson::StringBuffer, Encoding, Encoding,
                                 rapidjson::CrtAllocator, kWriteFlags>;
}  // namespace

struct JsonWriter::Impl {
  rapidjson::StringBuffer buffer;
  Writer writer{buffer};
};

JsonWriter::JsonWriter() : impl_(std::make_unique<Impl>()) {}
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::begin_object() {
  impl_->writer.StartObject();
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  impl_->writer.EndObject();
  return *this;
}
JsonWriter& JsonWriter::begin_array() {
  impl_->writer.StartArray();
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  impl_->writer.EndArray();
  return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
  impl_->writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  return *this;
}
JsonWriter& JsonWriter::value(std::string_view text) {
  impl_->writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return *this;
}
JsonWriter& JsonWriter::value(int64_t number) {
  impl_->writer.Int64(number);
  return *this;
}
JsonWriter& JsonWriter::value(uint64_t number) {
  impl_->writer.Uint64(number);
  return *this;
}
JsonWriter& JsonWriter::value(double number) {
  impl_->writer.Double(number);
  return *this;
}
JsonWriter& JsonWriter::value(bool flag) {
  impl_->writer.Bool(flag);
  return *this;
}
JsonWriter& JsonWriter::null() {
  impl_->writer.Null();
  return *this;
}
std::string JsonWriter::take() {
  return std::string(impl_->buffer.GetString(), impl_->buffer.GetSize());
}

}  // namespace changeaware
