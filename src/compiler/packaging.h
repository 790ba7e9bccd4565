// What compile() writes: regions and manifest.
#pragma once

#include <vector>

#include "analysis/dependencies.h"
#include "changeaware/package.h"
#include "engine/engine.h"
#include "pt2/program.h"
#include "regions/partition.h"
#include "strategy/equivalence.h"

namespace changeaware {

// The programs of the package: `main` (with the examples), then the segments in execution order.
Result<std::vector<ExportedProgram>> make_regions(const ExportedProgram& program,
                                                  const Partition& partition);

// Describes `regions`, as make_regions() made them. Two strategies: `monolithic` and the one of all
// segments.
Manifest make_manifest(const std::vector<ExportedProgram>& regions, const Partition& partition,
                       const Dependencies& dependencies, const Equivalence& equivalence,
                       const EngineInfo& engine);

}  // namespace changeaware
