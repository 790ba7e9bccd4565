// Slices: which groups strategies may retain, and their chains of cuts (partition.h says when).
#pragma once

#include <string>
#include <vector>

#include "analysis/dependencies.h"
#include "graph/graph.h"
#include "regions/groups.h"
#include "regions/partition.h"

namespace changeaware {

// Slices are named by their first nodes: groups keep no numbers when they are ordered.
struct GroupChain {
  std::vector<NodeId> first_nodes;  // of each slice, in slice order
  std::vector<Cut> cuts;
};

struct TurnedDown {
  NodeId first_node = kNoId;  // of the group
  std::string cut;            // "at 8388608 bytes"; empty = the whole boundary
  std::string reason;
};

struct Slices {
  std::vector<GroupChain> chains;
  std::vector<TurnedDown> rejected;
};

// Splits the groups that are worth it: of a sliced group the first slice keeps the number, the
// others get new ones. Quotient graphs stay acyclic: slices only read earlier slices, and a cycle
// over other groups would be one of the groups as they were.
Result<Slices> slice_groups(const Graph& graph, const Dependencies& dependencies,
                            const PartitionOptions& options, Groups& groups);

}  // namespace changeaware
