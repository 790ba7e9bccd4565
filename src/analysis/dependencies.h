// Which inputs each value of a graph depends on: by value and, separately, by shape.
//
// values[v]: inputs whose contents can change v.
// shapes[v]: inputs whose shape or contents can change v; a superset of values[v]. A value that
//            reads only a size has that input in `shapes` and not in `values`: it stays valid when
//            the contents change.
// A size that a node computes from contents (an unbacked symbol) depends on all that the node does:
// a value that has it has those inputs in `shapes`.
// Both grow along every edge between nodes (a node has all that its operand nodes have), which
// makes every set of nodes with one pair (values, shapes) convex. An argument of which only
// metadata is read (the size of a tensor) counts as a shape dependency when it is a program input;
// when it is computed by a node it counts in full, so that this order holds.
#pragma once

#include <vector>

#include "analysis/input_set.h"
#include "graph/graph.h"

namespace changeaware {

struct Dependencies {
  std::vector<InputSet> values;  // by ValueId
  std::vector<InputSet> shapes;  // by ValueId
};

// InvalidProgram when a size has a symbol that no input defines, naming value and symbol.
Result<Dependencies> analyse_dependencies(const Graph& graph);

// True when the operator reads only dtype and sizes of argument `index`, never its elements.
bool reads_only_metadata(const OpSchema& op, size_t index);

}  // namespace changeaware
