// What compile() writes: regions and manifest.
#pragma once

#include <vector>

#include "analysis/dependencies.h"
#include "changeaware/package.h"
#include "engine/engine.h"
#include "pt2/program.h"
#include "regions/partition.h"
#include "strategy/strategies.h"

namespace changeaware {

// The programs of the package: `main` (with the examples), then the segments in execution order.
Result<std::vector<ExportedProgram>> make_regions(const ExportedProgram& program,
                                                  const Partition& partition);

// Describes `regions`, as make_regions() made them: inputs, outputs, callables and what was turned
// down as a boundary. Costs and strategies are for who executes them.
Manifest make_manifest(const std::vector<ExportedProgram>& regions, const Partition& partition,
                       const Dependencies& dependencies, const EngineInfo& engine);

// What strategies may retain of each class, as ports.
std::vector<ClassCuts> make_class_cuts(const Graph& graph, const Partition& partition);

}  // namespace changeaware
