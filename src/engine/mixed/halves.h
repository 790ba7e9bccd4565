// halves: cuts pieces with many weights in two, so that two threads can make them ready.
//
// An engine packs the weights of a model on one thread. Two models of half the weights take half
// the time, and at run time one tensor more is handed over. Which nodes end up in which half
// follows from the graph alone, so a region has the same bits wherever it runs. Thread safety: pure
// functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mixed/pieces.h"
#include "graph/graph.h"

namespace changeaware::mixed {

// Smaller pieces stay whole: the hand-over would cost more than it saves.
constexpr uint64_t kLeastWeightBytesToHalve = uint64_t{64} << 20;

// The pieces, where each one of the fast engine that reads that many bytes of constants is two,
// provided there is a place where few tensors pass, no large constant is read on both sides, and
// neither side has less than a quarter of the bytes.
std::vector<Piece> halve_heavy_pieces(const Graph& graph, std::vector<Piece> pieces,
                                      uint64_t least_bytes = kLeastWeightBytesToHalve);

}  // namespace changeaware::mixed
