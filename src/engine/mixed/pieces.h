// pieces: which nodes of a region run together, on which engine, and in which order.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace changeaware::mixed {

enum class PieceKind : uint8_t { kFast, kExact, kControlFlow };

struct Piece {
  PieceKind kind = PieceKind::kFast;
  std::vector<NodeId> nodes;  // in increasing order; exactly one for kControlFlow
  bool operator==(const Piece&) const = default;
};

// Whether one of its arguments is a graph.
bool is_control_flow(const Node& node);

// Every node in exactly one piece; a piece reads only what pieces before it compute. Nodes that
// only reckon with sizes go along with whichever engine is at work, unless they are exact. The
// number of changes between the two engines is the smallest possible where there is no control
// flow.
std::vector<Piece> split_into_pieces(const Graph& graph);

}  // namespace changeaware::mixed
