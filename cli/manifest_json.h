// A package's manifest as JSON, for `inspect --json`.
#pragma once

#include <string>
#include <vector>

#include "changeaware/package.h"
#include "cli/json_output.h"

namespace changeaware::cli {

std::string manifest_to_json(const Manifest& manifest);

// The member "rejections" of an open object.
void write_rejections(JsonOutput& json, const std::vector<Rejection>& rejections);

}  // namespace changeaware::cli
