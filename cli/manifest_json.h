// A package's manifest as JSON, for `inspect --json`.
#pragma once

#include <string>

#include "changeaware/package.h"

namespace changeaware::cli {

std::string manifest_to_json(const Manifest& manifest);

}  // namespace changeaware::cli
