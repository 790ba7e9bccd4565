// Generated programs of any size, for measuring the analysis.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "graph/graph.h"

namespace changeaware::bench {

struct GraphKind {
  std::string_view name;
  Graph (*make)(size_t nodes);  // about so many nodes; the same graph for the same number
};

// Four deep residual towers, one per input, and a fifth that reads all four.
Graph residual_towers(size_t nodes);
// Sixteen inputs; each node reads up to three of all that is there.
Graph wide_random(size_t nodes);
// 250 inputs that come in one after the other; each node reads something recent: as many classes.
Graph many_classes(size_t nodes);
// One input, one result, one class: a chain in which each step also reads something recent.
Graph single_class(size_t nodes);

inline constexpr std::array kGraphKinds = {
    GraphKind{"residual towers", residual_towers},
    GraphKind{"wide random", wide_random},
    GraphKind{"many classes", many_classes},
    GraphKind{"single class", single_class},
};

}  // namespace changeaware::bench
