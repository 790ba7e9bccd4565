#include "changeaware/status.h"

namespace changeaware {

std::string_view status_code_name(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "OK";
    case StatusCode::kInvalidArgument: return "InvalidArgument";
    case StatusCode::kInvalidProgram: return "InvalidProgram";
    case StatusCode::kUnsupported: return "Unsupported";
    case StatusCode::kOverBudget: return "OverBudget";
    case StatusCode::kStalePlan: return "StalePlan";
    case StatusCode::kCancelled: return "Cancelled";
    case StatusCode::kCorrupt: return "Corrupt";
    case StatusCode::kIo: return "Io";
    case StatusCode::kFailedAssertion: return "FailedAssertion";
    case StatusCode::kInternal: return "Internal";
  }
  return "Internal";
}

std::string Status::to_string() const {
  if (ok()) return "OK";
  return std::string(status_code_name(code_)) + ": " + message_;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return Status(code_, std::string(context) + ": " + message_);
}

}  // namespace changeaware
