// Bounds of symbolic numbers, from the ranges of their symbols.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace changeaware {

// Inclusive; nothing = not known.
struct Interval {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

// Bounds of numbers in one graph. The graph must outlive it.
class Intervals {
 public:
  explicit Intervals(const Graph& graph);

  // Of an int argument.
  Interval of(const Argument& argument) const;
  // Whether a bool argument always or never holds; nothing when it depends on the inputs.
  std::optional<bool> decide(const Argument& condition) const;

 private:
  Interval of_value(ValueId id, int depth) const;
  Interval of_argument(const Argument& argument, int depth) const;
  Interval of_dim(const Dim& dim) const;
  std::optional<bool> decide_value(const Argument& condition, int depth) const;
  std::optional<bool> compare(const Node& node, int depth) const;
  // The expression of an int argument; nothing when it has none.
  std::optional<Dim> expression(const Argument& argument) const;

  const Graph& graph_;
  std::vector<NodeId> producers_;  // by value
};

}  // namespace changeaware
