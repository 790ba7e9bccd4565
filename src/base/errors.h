// Makers of Status values with fmt formatting: `return corrupt("{}: no entry {}", path, name);`
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "changeaware/status.h"

namespace changeaware {

#define CA_DEFINE_ERROR(function, code)                                                \
  template <class... Args>                                                             \
  [[nodiscard]] Status function(fmt::format_string<Args...> format, Args&&... args) {  \
    return Status(StatusCode::code, fmt::format(format, std::forward<Args>(args)...)); \
  }

CA_DEFINE_ERROR(invalid_argument, kInvalidArgument)
CA_DEFINE_ERROR(invalid_program, kInvalidProgram)
CA_DEFINE_ERROR(unsupported, kUnsupported)
CA_DEFINE_ERROR(over_budget, kOverBudget)
CA_DEFINE_ERROR(stale_plan, kStalePlan)
CA_DEFINE_ERROR(cancelled, kCancelled)
CA_DEFINE_ERROR(corrupt, kCorrupt)
CA_DEFINE_ERROR(io_error, kIo)
CA_DEFINE_ERROR(failed_assertion, kFailedAssertion)
CA_DEFINE_ERROR(internal_error, kInternal)

#undef CA_DEFINE_ERROR

}  // namespace changeaware
