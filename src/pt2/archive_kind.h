// What a zip archive is when it is not an exported program.
#pragma once

#include <string>

#include "archive/archive.h"

namespace changeaware {

// "a compiled package (AOTInductor)", "a TorchScript program", …: a phrase for messages.
std::string describe_archive(const Archive& archive);

// Unsupported when the archive states a format, version or byte order that is not accepted.
Status check_archive_format(const Archive& archive);

}  // namespace changeaware
