// assembly: what each piece of a region reads and gives, and where that is kept in between.
// Thread safety: confined to one compilation.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "engine/mixed/pieces.h"
#include "engine/mixed/sequence.h"
#include "graph/graph.h"

namespace changeaware::mixed {

// Of one piece, as values of the region's graph.
struct PiecePorts {
  std::vector<ValueId> inputs;   // of kControlFlow: constants among them
  std::vector<ValueId> outputs;  // those that another piece or the caller reads; of kControlFlow:
                                 // all
};

class Assembly {
 public:
  // REQUIRES: every output of the graph is a ValueRef.
  Assembly(const Graph& graph, std::span<const Piece> pieces);

  const PiecePorts& ports(size_t piece) const { return ports_[piece]; }
  // In the order of pieces.
  void add(std::unique_ptr<Executable> executable);
  SequenceParts finish() &&;

 private:
  void find_ports();
  void mark_wanted();
  Source source_of(ValueId value) const;

  const Graph& graph_;
  std::span<const Piece> pieces_;
  std::vector<size_t> producer_;  // value → piece, or kNone
  std::vector<bool> wanted_;      // by another piece than its own, or by the caller
  std::vector<PiecePorts> ports_;
  std::map<ValueId, size_t> inputs_;
  std::map<ValueId, size_t> slots_;
  SequenceParts parts_;
};

}  // namespace changeaware::mixed
