// Builds one line of JSON text: objects, lists and values in call order.
#pragma once

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace changeaware::cli {

class JsonOutput {
 public:
  void begin_object() { writer_.StartObject(); }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void end_array() { writer_.EndArray(); }
  void key(std::string_view name) { writer_.Key(name.data(), length(name)); }

  void value(std::string_view text) { writer_.String(text.data(), length(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool flag) { writer_.Bool(flag); }
  void value(int number) { writer_.Int(number); }
  void value(int64_t number) { writer_.Int64(number); }
  void value(uint64_t number) { writer_.Uint64(number); }
  // JSON has no infinity and no NaN: they become null.
  void value(double number) { std::isfinite(number) ? writer_.Double(number) : writer_.Null(); }
  void null() { writer_.Null(); }

  template <class T>
  void field(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  template <class Range>
  void list(std::string_view name, const Range& items) {
    key(name);
    begin_array();
    for (const auto& item : items) value(item);
    end_array();
  }

  // REQUIRES: every object and array is closed.
  std::string text() const { return std::string(buffer_.GetString(), buffer_.GetSize()); }

 private:
  static rapidjson::SizeType length(std::string_view text) {
    return static_cast<rapidjson::SizeType>(text.size());
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace changeaware::cli
