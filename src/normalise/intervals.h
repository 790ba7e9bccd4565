// Bounds of symbolic numbers, from the ranges of their symbols.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace changeaware {

// Inclusive; nothing = not known.
struct Interval {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

// Bounds of numbers in one graph; ranges of symbols are those of the program, of which a body has
// none of its own. What depends on contents is not taken from what the file says about it. Both
// must outlive it.
class Intervals {
 public:
  Intervals(const Graph& graph, const std::map<std::string, SymbolRange>& symbols);

  // Of an int argument.
  Interval of(const Argument& argument) const;
  // Whether the number, or a size of the tensor, may come from contents.
  bool from_contents(ValueId id) const { return from_contents_[id]; }
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

  // Of a size that contents decide.
  Interval of_computed_size(ValueId tensor, int64_t dim) const;

  const Graph& graph_;
  const std::map<std::string, SymbolRange>& symbols_;
  std::vector<NodeId> producers_;  // by value
  std::vector<bool> from_contents_;
};

}  // namespace changeaware
