// JSON reading with errors that name the place, and writing. A thin layer over RapidJSON.
//
// Accepts bare NaN, Infinity and -Infinity, which PyTorch writes. Nesting is limited only by memory
// (iterative parser).
// Errors: Corrupt, as "<source>: <path>: expected an integer, found a string".
// Lifetime: a JsonView is valid while its JsonDocument lives.
// Thread safety: const methods may be called concurrently.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/status.h"

namespace changeaware {

class JsonDocument;

class JsonView {
 public:
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_bool() const;
  bool is_int() const;  // fits int64_t
  bool is_number() const;

  // Member of an object. Corrupt when this is no object or lacks it.
  Result<JsonView> get(std::string_view key) const;
  // Nothing when this is no object, lacks it, or holds null there.
  std::optional<JsonView> find(std::string_view key) const;
  // The only member of a one-member object, as unions are written: {"as_int": 3}.
  Result<std::pair<std::string_view, JsonView>> only_member() const;
  Result<std::vector<std::pair<std::string_view, JsonView>>> members() const;  // in file order
  Result<std::vector<JsonView>> elements() const;

  Result<int64_t> as_int() const;
  // A number, or one of the strings "Infinity", "-Infinity", "NaN".
  Result<double> as_double() const;
  Result<bool> as_bool() const;
  Result<std::string_view> as_string() const;

  // "graph_module.graph.nodes[3]"; searches the document, for messages only.
  std::string path() const;
  // Corrupt with source and path before the message.
  Status error(std::string_view message) const;

 private:
  friend class JsonDocument;
  JsonView(const JsonDocument* document, const void* value) : document_(document), value_(value) {}
  const char* kind() const;
  const JsonDocument* document_;
  const void* value_;
};

class JsonDocument {
 public:
  // `source` names the text in errors ("models/model.json").
  static Result<std::unique_ptr<JsonDocument>> parse(std::string_view text, std::string source);
  ~JsonDocument();
  JsonView root() const;
  const std::string& source() const { return source_; }

 private:
  friend class JsonView;
  struct Impl;
  JsonDocument();
  std::unique_ptr<Impl> impl_;
  std::string source_;
};

// Writes one JSON text on one line. Members appear in call order. Not-finite doubles become bare
// tokens.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(int64_t number);
  JsonWriter& value(uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<int64_t>(number)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool flag);
  JsonWriter& null();
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  // A list of strings or numbers.
  template <class Range>
  JsonWriter& list(std::string_view name, const Range& range) {
    key(name);
    begin_array();
    for (const auto& item : range) value(item);
    return end_array();
  }
  // REQUIRES: every object and array is closed.
  std::string take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace changeaware
