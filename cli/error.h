// Maker of Status values with fmt formatting, for the command line.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "changeaware/status.h"

namespace changeaware::cli {

template <class... Args>
[[nodiscard]] Status error(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace changeaware::cli
