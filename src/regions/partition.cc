#include "regions/partition.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/cost.h"
#include "base/errors.h"
#include "regions/groups.h"
#include "regions/slices.h"
#include "regions/views.h"

namespace changeaware {
namespace {

constexpr std::string_view kPrefix = "segment_";

std::string segment_name(const Graph& graph, const InputSet& values, const InputSet& shapes) {
  constexpr size_t kLongest = 80;
  std::vector<std::string> names;
  for (size_t i : members(values)) names.push_back(graph.value(graph.inputs()[i]).name);
  for (size_t i : members(shapes - values)) {
    names.push_back("shape_of_" + graph.value(graph.inputs()[i]).name);
  }
  if (names.empty()) return "segment_constant";
  std::string name = fmt::format("{}{}", kPrefix, fmt::join(names, "+"));
  return name.size() <= kLongest ? name : fmt::format("{}{}_inputs", kPrefix, names.size());
}

// Fills ports and assertions of the segments from the node groups.
class PortBuilder {
 public:
  PortBuilder(const Graph& graph, const Dependencies& dependencies, const Groups& groups)
      : graph_(graph),
        dependencies_(dependencies),
        groups_(groups),
        source_(shaped_from(graph)),
        owner_(graph.values().size(), kNoId) {
    for (NodeId n = 0; n < graph.nodes().size(); ++n) {
      for (ValueId v : graph.node(n).outputs) {
        if (v != kNoId) producer_[v] = n;
        if (v != kNoId) owner_[v] = groups.of_node[n];
      }
    }
  }

  Result<std::vector<Segment>> run() {
    segments_.resize(groups_.count);
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (groups_.of_node[n] != kNoId) segments_[groups_.of_node[n]].nodes.push_back(n);
    }
    for (uint32_t s = 0; s < groups_.count; ++s) add_inputs(s);
    CA_RETURN_IF_ERROR(add_roots());
    for (uint32_t s = 0; s < groups_.count; ++s) finish(s);
    return std::move(segments_);
  }

 private:
  void add_inputs(uint32_t s) {
    Segment& segment = segments_[s];
    std::set<ValueId> seen;
    std::vector<ValueId> from_segments;
    std::set<NodeId> copied;
    const std::vector<NodeId> own = segment.nodes;
    for (NodeId n : own) {
      for_each_input(graph_.node(n),
                     [&](ValueId v) { visit_use(s, v, seen, from_segments, copied); });
    }
    // Program inputs in the program's order.
    for (ValueId v : graph_.inputs()) {
      if (seen.contains(v)) segment.inputs.push_back(v);
    }
    std::sort(from_segments.begin(), from_segments.end());
    segment.inputs.insert(segment.inputs.end(), from_segments.begin(), from_segments.end());
    segment.nodes.insert(segment.nodes.end(), copied.begin(), copied.end());
    std::sort(segment.nodes.begin(), segment.nodes.end());
  }

  void visit_use(uint32_t s, ValueId v, std::set<ValueId>& seen,
                 std::vector<ValueId>& from_segments, std::set<NodeId>& copied) {
    if (owner_[v] == s || graph_.constant_of(v) != nullptr || !seen.insert(v).second) return;
    const auto it = producer_.find(v);
    if (it == producer_.end()) return;  // a program input
    if (is_constant_arithmetic(v) || source_[v] != v) {
      if (!copied.insert(it->second).second) return;
      for_each_input(graph_.node(it->second),
                     [&](ValueId u) { visit_use(s, u, seen, from_segments, copied); });
      return;
    }
    from_segments.push_back(v);
    outputs_of_[owner_[v]].insert(v);
  }

  bool is_constant_arithmetic(ValueId v) const {
    return dependencies_.shapes[v].none() && producer_.contains(v);
  }

  Status add_roots() {
    for (const Argument& output : graph_.outputs()) {
      for_each_value(output, [&](ValueId v) {
        if (owner_[v] != kNoId) outputs_of_[owner_[v]].insert(v);
      });
    }
    for (size_t i = 0; i < graph_.assertions().size(); ++i) {
      const ValueId condition = graph_.assertions()[i].condition;
      if (owner_[condition] == kNoId) {
        return unsupported("assertion \"{}\" tests '{}' itself, which no node computes",
                           graph_.assertions()[i].message, graph_.value(condition).name);
      }
      segments_[owner_[condition]].assertions.push_back(i);
    }
    return {};
  }

  void finish(uint32_t s) {
    Segment& segment = segments_[s];
    segment.outputs.assign(outputs_of_[s].begin(), outputs_of_[s].end());
    segment.dependencies = InputSet(graph_.inputs().size());
    InputSet shapes(graph_.inputs().size());
    for (NodeId n : segment.nodes) {
      segment.estimated_us += nominal_microseconds(estimate_cost(graph_, graph_.node(n)));
      for (ValueId v : graph_.node(n).outputs) {
        if (v == kNoId) continue;
        segment.dependencies |= dependencies_.values[v];
        shapes |= dependencies_.shapes[v];
      }
    }
    segment.shape_dependencies = shapes - segment.dependencies;
    segment.name = segment_name(graph_, segment.dependencies, shapes);
    for (int copy = 2; !names_.insert(segment.name).second; ++copy) {
      segment.name = fmt::format("{}_{}", segment_name(graph_, segment.dependencies, shapes), copy);
    }
  }

  const Graph& graph_;
  const Dependencies& dependencies_;
  const Groups& groups_;
  const std::vector<ValueId> source_;  // by ValueId: shaped_from()
  std::vector<uint32_t> owner_;  // group that computes a value; kNoId for inputs and constants
  std::map<ValueId, NodeId> producer_;
  std::map<uint32_t, std::set<ValueId>> outputs_of_;
  std::vector<Segment> segments_;
  std::set<std::string> names_;
};

// A view that every reader makes for itself stays with its source.
void place_views(const Graph& graph, Groups& groups) {
  const std::vector<ValueId> source = shaped_from(graph);
  std::vector<NodeId> producer(graph.values().size(), kNoId);
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    for (ValueId v : graph.node(n).outputs) {
      if (v == kNoId) continue;
      producer[v] = n;
      if (source[v] != v) groups.of_node[n] = groups.of_node[producer[source[v]]];
    }
  }
}

// Names of the classes, and of what was turned down, once the segments have theirs.
void name_classes(const Groups& groups, Slices slices, Partition& partition) {
  const auto segment_of = [&](NodeId n) { return groups.of_node[n]; };
  const auto class_name = [&](NodeId n) {
    return partition.segments[segment_of(n)].name.substr(kPrefix.size());
  };
  std::stable_sort(slices.rejected.begin(), slices.rejected.end(),
                   [&](const TurnedDown& a, const TurnedDown& b) {
                     return segment_of(a.first_node) < segment_of(b.first_node);
                   });
  for (TurnedDown& item : slices.rejected) {
    std::string name = class_name(item.first_node);
    if (!item.cut.empty()) name += " " + item.cut;
    partition.rejected.push_back({std::move(name), std::move(item.reason)});
  }
  for (GroupChain& chain : slices.chains) {
    SlicedClass made{class_name(chain.first_nodes.front()), {}, std::move(chain.cuts)};
    for (NodeId n : chain.first_nodes) made.segments.push_back(segment_of(n));
    partition.classes.push_back(std::move(made));
  }
  std::sort(partition.classes.begin(), partition.classes.end(),
            [](const auto& a, const auto& b) { return a.segments[0] < b.segments[0]; });
}

void name_merges(const Graph& graph, const Dependencies& dependencies, const Groups& groups,
                 const std::vector<GroupMerge>& merges, double tiny_us, Partition& partition) {
  for (const GroupMerge& merge : merges) {
    const NodeId node = merge.first_node;
    const ValueId value = graph.node(node).outputs.empty() ? kNoId : graph.node(node).outputs[0];
    const std::string name = value == kNoId ? "segment"
                                            : segment_name(graph, dependencies.values[value],
                                                           dependencies.shapes[value]);
    partition.merged.push_back(
        {name, partition.segments[groups.of_node[node]].name,
         fmt::format("estimated {:.1f} us and no contraction, less than the {:.0f} us of a "
                     "call, and only one segment reads it",
                     merge.estimated_us, tiny_us)});
  }
}

}  // namespace

Result<Partition> make_partition(const Graph& graph, const Dependencies& dependencies,
                                 const PartitionOptions& options) {
  Groups groups = group_by_class(graph, dependencies);
  split_by_reached_outputs(graph, groups, options.split_us);
  place_views(graph, groups);
  const std::vector<GroupMerge> merges = merge_tiny_groups(graph, groups, options.tiny_us);
  CA_ASSIGN_OR_RETURN(Slices slices, slice_groups(graph, dependencies, options, groups));
  order_groups(graph, groups);

  Partition partition;
  CA_ASSIGN_OR_RETURN(partition.segments, PortBuilder(graph, dependencies, groups).run());
  name_classes(groups, std::move(slices), partition);
  name_merges(graph, dependencies, groups, merges, options.tiny_us, partition);
  CA_RETURN_IF_ERROR(verify_partition(graph, dependencies, partition));
  return partition;
}

std::string dump(const Graph& graph, const Partition& partition) {
  const auto names = [&](const std::vector<ValueId>& ids) {
    std::vector<std::string> out;
    for (ValueId id : ids) out.push_back(graph.value(id).name);
    return fmt::format("{}", fmt::join(out, ", "));
  };
  std::string out;
  for (const Segment& s : partition.segments) {
    out += fmt::format("{}: {} nodes ({}) -> ({})\n", s.name, s.nodes.size(), names(s.inputs),
                       names(s.outputs));
  }
  return out;
}

}  // namespace changeaware
