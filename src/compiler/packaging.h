// The last stage of compile(): manifest and regions to a file.
#pragma once

#include <string>

#include "analysis/dependencies.h"
#include "changeaware/package.h"
#include "engine/engine.h"
#include "pt2/program.h"
#include "regions/partition.h"
#include "strategy/equivalence.h"

namespace changeaware {

// Two strategies: `monolithic` and the one of all segments.
Manifest make_manifest(const ExportedProgram& program, const Partition& partition,
                       const Dependencies& dependencies, const Equivalence& equivalence,
                       const EngineInfo& engine);

// Writes `main` (with the examples) and the segments that the manifest names.
Status write_regions(const std::string& path, const ExportedProgram& program,
                     const Partition& partition, const Manifest& manifest);

}  // namespace changeaware
