// What `explain --html` writes: the trace as a page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "changeaware/package.h"
#include "cli/replayer.h"

namespace changeaware::cli {

// A row per request with a cell per callable: what happened to it, and, in the details below, why.
std::string explain_page(const std::string& title, const Manifest& manifest,
                         const std::vector<ReplayResult>& results);

}  // namespace changeaware::cli
