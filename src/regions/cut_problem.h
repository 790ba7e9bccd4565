// CutProblem: one convex set of nodes as the cut finder sees it, and how it is read from a graph.
//
// Nodes are numbered 0 … n-1 in topological order. A value that nothing reads is left out: it costs
// nothing wherever it lies. Bytes are those of the elements; a symbolic number counts eight. A view
// is a value like any other (an engine hands out its own copy of what is retained), so give its
// node the time zero and the cut goes before or after it, wherever there are fewer bytes; only a
// view that keeps elements and order (views.h) is no value of its own: who reads it reads its
// source. Program
// inputs, constants and values of smaller classes are not of the problem: they are there anyway.
// An assertion retains nothing: one that held holds as long as its inputs do not change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace changeaware {

struct CutValue {
  ValueId id = kNoId;
  uint32_t producer = 0;
  uint64_t bytes = 0;
  bool external = false;          // read by a node outside or returned
  std::vector<uint32_t> readers;  // inside; increasing, each greater than `producer`
};

struct CutProblem {
  std::vector<double> node_us;  // finite, not negative
  std::vector<CutValue> values;
};

// Reads classes of one graph. A graph is scanned once, then each class costs what its own nodes and
// their readers cost. `graph` must outlive it. Thread safety: one thread at a time.
class CutProblemReader {
 public:
  explicit CutProblemReader(const Graph& graph);

  // `nodes`: increasing ids of a convex set; `node_us`: by NodeId, of the whole graph.
  // InvalidArgument naming the node whose time is not a cost or which is out of order, or the value
  // with which the bytes of the class exceed 2^60.
  Result<CutProblem> read(std::span<const NodeId> nodes, std::span<const double> node_us);

 private:
  Status check(std::span<const NodeId> nodes, std::span<const double> node_us) const;
  Status add_value(ValueId id, uint32_t producer, uint64_t& total_bytes, CutProblem& problem) const;

  const Graph& graph_;
  std::vector<size_t> first_reader_;  // by ValueId: its part of readers_
  std::vector<NodeId> readers_;       // increasing within a part, without repetition
  std::vector<bool> is_returned_;     // by ValueId
  std::vector<ValueId> source_;       // by ValueId: shaped_from()
  std::vector<uint32_t> local_;       // by NodeId: number in the class being read, else kNoId
};

}  // namespace changeaware
