// Status and Result<T>: how every call of this library reports failure.
//
// The code says what the caller can do about it; the message names the entry, field, node or input
// that is at fault. No exception crosses the library's boundary and the library never prints.
// Thread safety: values, like std::string.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "changeaware/export_macro.h"

namespace changeaware {

enum class StatusCode : uint8_t {
  kOk = 0,
  kInvalidArgument,  // fix the call: wrong name, dtype, shape, option
  kInvalidProgram,   // the exported program contradicts itself
  kUnsupported,      // well-formed, but not something this build can run exactly
  kOverBudget,       // raise a budget or ask for less
  kStalePlan,        // make a new plan
  kCancelled,        // the caller asked to stop, or the deadline passed
  kCorrupt,          // the file is damaged or is not what it says
  kIo,               // the operating system refused
  kFailedAssertion,  // an assertion of the program itself does not hold for these inputs
  kInternal,         // a bug of this library
};

// "InvalidArgument", "Corrupt", …; static storage.
CHANGEAWARE_API std::string_view status_code_name(StatusCode code);

class [[nodiscard]] CHANGEAWARE_API Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {
    assert(code != StatusCode::kOk);
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  // "Corrupt: models/model.json: …"; "OK" when ok().
  std::string to_string() const;
  // The same code with `context` and ": " before the message; OK stays OK.
  Status with_context(std::string_view context) const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  // REQUIRES: ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace changeaware

#define CA_CONCAT_INNER(a, b) a##b
#define CA_CONCAT(a, b) CA_CONCAT_INNER(a, b)

#define CA_RETURN_IF_ERROR(expr)                                                 \
  do {                                                                           \
    if (::changeaware::Status ca_failed_status = (expr); !ca_failed_status.ok()) \
      return ca_failed_status;                                                   \
  } while (0)

#define CA_ASSIGN_OR_RETURN(lhs, expr) \
  CA_ASSIGN_OR_RETURN_IMPL(CA_CONCAT(ca_result_, __LINE__), lhs, expr)
#define CA_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return tmp.status();            \
  lhs = std::move(tmp).value()
