// Writes a package: one PT2 archive with `main`, the segments and the manifest.
#pragma once

#include <string>
#include <vector>

#include "changeaware/package.h"
#include "pt2/program.h"

namespace changeaware {

// `regions` are the programs of manifest.callables, in that order; their identities are computed
// here, whatever the manifest says. The file appears at `path` only
// when everything was written. Errors: Io naming the path; Internal when the manifest is not valid
// (the writer checks what it writes).
Status write_package(const std::string& path, const Manifest& manifest,
                     const std::vector<ExportedProgram>& regions);

}  // namespace changeaware
