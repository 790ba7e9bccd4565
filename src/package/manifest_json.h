// The manifest as JSON: extra/manifest.json of a package. docs/package_format.md describes it.
// Version rule: a reader ignores fields that it does not know and refuses a newer major version.
#pragma once

#include <string>
#include <string_view>

#include "changeaware/package.h"

namespace changeaware {

inline constexpr int kFormatMajor = 2;
inline constexpr int kFormatMinor = 1;

std::string manifest_to_json(const Manifest& manifest);

// Errors: Corrupt naming the field; Unsupported for another major version, with both. The result is
// valid (Manifest::validate()).
Result<Manifest> manifest_from_json(std::string_view text);

}  // namespace changeaware
