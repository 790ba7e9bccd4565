// Subgraph extraction: some nodes of a graph as a graph of their own.
#pragma once

#include <span>

#include "graph/graph.h"

namespace changeaware {

// The nodes `nodes` (ids in increasing order) with, as inputs, the values of `inputs`, and, as
// outputs, the values of `outputs`, both in the given order. Constants that the nodes or outputs
// read come along; value names stay. Symbols come along.
// InvalidProgram when a node reads a value that is none of these.
Result<Graph> extract_subgraph(const Graph& graph, std::span<const NodeId> nodes,
                               std::span<const ValueId> inputs, std::span<const ValueId> outputs);

// What an engine runs for `graph`: its inputs that something reads, and as outputs each value that
// a node computes and that `graph` returns, once, in order, followed by the conditions of its
// assertions that are not among them.
Graph callable_graph(const Graph& graph);

// The same graph without nodes whose results neither an output nor an assertion needs.
Graph eliminate_dead_nodes(const Graph& graph);

// The same with every node on the exact engine, also in nested graphs.
Graph all_exact(Graph graph);

}  // namespace changeaware
