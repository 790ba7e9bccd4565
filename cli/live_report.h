// What a session holds and has done, as text and as JSON.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "changeaware/session.h"

namespace changeaware::cli {

// Ends with a line break.
std::string live_text(const SessionStats& stats);
// One JSON document, without a line break.
std::string live_json(const SessionStats& stats);

}  // namespace changeaware::cli
