// Groups: a partition of nodes into numbered sets, and the steps that refine and merge it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dependencies.h"
#include "graph/graph.h"

namespace changeaware {

struct Groups {
  // By NodeId; kNoId = in no group: constant arithmetic that each reader copies.
  std::vector<uint32_t> of_node;
  uint32_t count = 0;
};

struct GroupMerge {
  NodeId first_node = kNoId;  // of the group that was merged away
  double estimated_us = 0;
};

// One group per class (values, shapes). Constant arithmetic gets a group only where the program
// returns or asserts a result of it.
Groups group_by_class(const Graph& graph, const Dependencies& dependencies);

// Splits groups by the set of program outputs that their nodes reach, where every part of a group
// would take at least `least_us`.
void split_by_reached_outputs(const Graph& graph, Groups& groups, double least_us);

// Merges each group below `tiny_us` that has no contraction, that exactly one other group reads,
// and that owns no assertion and no program output, into that reader. Groups keep their numbers;
// emptied ones vanish in order_groups().
std::vector<GroupMerge> merge_tiny_groups(const Graph& graph, Groups& groups, double tiny_us);

// Renumbers the groups in an execution order that is the same for the same graph.
// REQUIRES: the quotient graph is acyclic.
void order_groups(const Graph& graph, Groups& groups);

// Edges of the quotient graph: readers[g] = groups that read a value of g, without g itself.
std::vector<std::vector<uint32_t>> group_readers(const Graph& graph, const Groups& groups);

}  // namespace changeaware
