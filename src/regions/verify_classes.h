// The part of verify_partition() that concerns classes and their cuts.
#pragma once

#include "regions/partition.h"

namespace changeaware {

// InvalidProgram naming the class and the value or segment at fault.
Status verify_classes(const Graph& graph, const Partition& partition);

}  // namespace changeaware
