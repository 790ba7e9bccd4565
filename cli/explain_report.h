// What `explain` prints for a request: each callable, what happened to it, and why.
#pragma once

#include <string>
#include <string_view>

#include "cli/replayer.h"

namespace changeaware::cli {

// "ran", "reused", "evicted" (it ran because what was retained had to make room), "not needed".
std::string_view decision_word(const Decision& decision);

std::string explain_json(const ReplayResult& result);  // one line
std::string explain_text(const ReplayResult& result);  // several, the last one empty

}  // namespace changeaware::cli
