#include "regions/groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "analysis/cost.h"

namespace changeaware {
namespace {

std::vector<NodeId> producers(const Graph& graph) {
  std::vector<NodeId> out(graph.values().size(), kNoId);
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    for (ValueId v : graph.node(n).outputs) {
      if (v != kNoId) out[v] = n;
    }
  }
  return out;
}

// Sets a bit for each program output (and assertion) that a node reaches.
std::vector<InputSet> reached_outputs(const Graph& graph) {
  const size_t roots = graph.outputs().size() + graph.assertions().size();
  std::vector<InputSet> by_value(graph.values().size(), InputSet(roots));
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    for_each_value(graph.outputs()[i], [&](ValueId v) { by_value[v].set(i); });
  }
  for (size_t i = 0; i < graph.assertions().size(); ++i) {
    by_value[graph.assertions()[i].condition].set(graph.outputs().size() + i);
  }
  std::vector<InputSet> by_node(graph.nodes().size(), InputSet(roots));
  for (size_t n = graph.nodes().size(); n > 0; --n) {
    const Node& node = graph.nodes()[n - 1];
    for (ValueId v : node.outputs) {
      if (v != kNoId) by_node[n - 1] |= by_value[v];
    }
    for_each_input(node, [&](ValueId v) { by_value[v] |= by_node[n - 1]; });
  }
  return by_node;
}

std::vector<double> node_times(const Graph& graph) {
  std::vector<double> out;
  for (const Node& node : graph.nodes())
    out.push_back(nominal_microseconds(estimate_cost(graph, node)));
  return out;
}

// Groups that own a program output or an assertion.
std::set<uint32_t> root_groups(const Graph& graph, const Groups& groups) {
  const std::vector<NodeId> producer = producers(graph);
  std::set<uint32_t> out;
  const auto add = [&](ValueId v) {
    if (producer[v] != kNoId) out.insert(groups.of_node[producer[v]]);
  };
  for (const Argument& output : graph.outputs()) for_each_value(output, add);
  for (const Assertion& a : graph.assertions()) add(a.condition);
  return out;
}

// The quotient graph while groups merge into readers, and which groups may merge next.
class Merger {
 public:
  Merger(const Graph& graph, const Groups& groups, double tiny_us)
      : tiny_us_(tiny_us),
        cost_(groups.count, 0),
        has_work_(groups.count, false),
        first_(groups.count, kNoId),
        readers_(groups.count),
        writers_(groups.count),
        into_(groups.count),
        roots_(root_groups(graph, groups)) {
    std::iota(into_.begin(), into_.end(), 0);
    const std::vector<double> times = node_times(graph);
    for (size_t n = graph.nodes().size(); n > 0; --n) {
      const uint32_t g = groups.of_node[n - 1];
      if (g == kNoId) continue;
      cost_[g] += times[n - 1];
      has_work_[g] = has_work_[g] || is_contraction(*graph.nodes()[n - 1].op);
      first_[g] = static_cast<NodeId>(n - 1);
    }
    const auto readers = group_readers(graph, groups);
    for (uint32_t g = 0; g < groups.count; ++g) {
      readers_[g].insert(readers[g].begin(), readers[g].end());
      for (uint32_t r : readers[g]) writers_[r].insert(g);
    }
    for (uint32_t g = 0; g < groups.count; ++g) consider(g);
  }

  // The mergeable group with the least number first, until there is none.
  std::vector<GroupMerge> run() {
    std::vector<GroupMerge> merges;
    while (!mergeable_.empty()) {
      const uint32_t g = *mergeable_.begin();
      merges.push_back({first_[g], cost_[g]});
      merge(g, *readers_[g].begin());
    }
    return merges;
  }

  uint32_t group_now(uint32_t g) {
    while (into_[g] != g) g = into_[g] = into_[into_[g]];
    return g;
  }

 private:
  void consider(uint32_t g) {
    const bool tiny = first_[g] != kNoId && cost_[g] < tiny_us_ && !has_work_[g];
    if (tiny && readers_[g].size() == 1 && !roots_.contains(g)) {
      mergeable_.insert(g);
    } else {
      mergeable_.erase(g);
    }
  }

  void merge(uint32_t g, uint32_t reader) {
    mergeable_.erase(g);
    into_[g] = reader;
    cost_[reader] += cost_[g];
    // `g` has no work of its own, or it would not merge.
    first_[reader] = std::min(first_[reader], first_[g]);
    first_[g] = kNoId;
    writers_[reader].erase(g);
    for (uint32_t writer : writers_[g]) {
      readers_[writer].erase(g);
      readers_[writer].insert(reader);
      writers_[reader].insert(writer);
      consider(writer);
    }
    readers_[g].clear();
    writers_[g].clear();
    consider(reader);
  }

  const double tiny_us_;
  std::vector<double> cost_;
  std::vector<bool> has_work_;
  std::vector<NodeId> first_;  // kNoId = merged away
  std::vector<std::set<uint32_t>> readers_, writers_;
  std::vector<uint32_t> into_;
  const std::set<uint32_t> roots_;
  std::set<uint32_t> mergeable_;
};

}  // namespace

Groups group_by_class(const Graph& graph, const Dependencies& dependencies) {
  Groups groups;
  groups.of_node.assign(graph.nodes().size(), kNoId);
  std::map<std::pair<InputSet, InputSet>, uint32_t> numbers;
  // Constant arithmetic that a root needs forms the class of the empty set.
  std::vector<bool> wanted(graph.values().size(), false);
  for (const Argument& output : graph.outputs())
    for_each_value(output, [&](ValueId v) { wanted[v] = true; });
  for (const Assertion& a : graph.assertions()) wanted[a.condition] = true;
  for (size_t i = graph.nodes().size(); i > 0; --i) {
    const Node& node = graph.nodes()[i - 1];
    InputSet values(graph.inputs().size());
    InputSet shapes(graph.inputs().size());
    bool root = false;
    for (ValueId v : node.outputs) {
      if (v == kNoId) continue;
      values |= dependencies.values[v];
      shapes |= dependencies.shapes[v];
      root = root || wanted[v];
    }
    if (shapes.none()) {
      if (!root) continue;
      for_each_input(node, [&](ValueId v) { wanted[v] = true; });
    }
    const auto [it, added] = numbers.try_emplace({values, shapes}, groups.count);
    if (added) ++groups.count;
    groups.of_node[i - 1] = it->second;
  }
  return groups;
}

void split_by_reached_outputs(const Graph& graph, Groups& groups, double least_us) {
  const std::vector<InputSet> reached = reached_outputs(graph);
  const std::vector<double> times = node_times(graph);
  std::map<uint32_t, std::map<InputSet, double>> parts;
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    if (groups.of_node[n] != kNoId) parts[groups.of_node[n]][reached[n]] += times[n];
  }
  std::map<std::pair<uint32_t, InputSet>, uint32_t> numbers;
  for (const auto& [group, by_outputs] : parts) {
    const bool worth = std::all_of(by_outputs.begin(), by_outputs.end(),
                                   [&](const auto& part) { return part.second >= least_us; });
    if (by_outputs.size() < 2 || !worth) continue;
    for (const auto& [outputs, time] : by_outputs) numbers[{group, outputs}] = groups.count++;
  }
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    const auto it = numbers.find({groups.of_node[n], reached[n]});
    if (it != numbers.end()) groups.of_node[n] = it->second;
  }
}

std::vector<std::vector<uint32_t>> group_readers(const Graph& graph, const Groups& groups) {
  const std::vector<NodeId> producer = producers(graph);
  std::vector<std::set<uint32_t>> sets(groups.count);
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    const uint32_t reader = groups.of_node[n];
    if (reader == kNoId) continue;
    for_each_input(graph.node(n), [&](ValueId v) {
      const uint32_t writer = producer[v] == kNoId ? kNoId : groups.of_node[producer[v]];
      if (writer != kNoId && writer != reader) sets[writer].insert(reader);
    });
  }
  std::vector<std::vector<uint32_t>> out;
  for (const auto& s : sets) out.emplace_back(s.begin(), s.end());
  return out;
}

std::vector<GroupMerge> merge_tiny_groups(const Graph& graph, Groups& groups, double tiny_us) {
  Merger merger(graph, groups, tiny_us);
  std::vector<GroupMerge> merges = merger.run();
  for (uint32_t& g : groups.of_node) {
    if (g != kNoId) g = merger.group_now(g);
  }
  return merges;
}

void order_groups(const Graph& graph, Groups& groups) {
  const auto readers = group_readers(graph, groups);
  std::vector<size_t> missing(groups.count, 0);
  for (const auto& r : readers) {
    for (uint32_t g : r) ++missing[g];
  }
  std::vector<NodeId> first(groups.count, kNoId);
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    const uint32_t g = groups.of_node[n];
    if (g != kNoId && first[g] == kNoId) first[g] = n;
  }
  // Kahn's algorithm; among the ready groups the one with the earliest node comes first.
  using Ready = std::pair<NodeId, uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (uint32_t g = 0; g < groups.count; ++g) {
    if (missing[g] == 0) ready.push({first[g], g});
  }
  std::vector<uint32_t> number(groups.count, kNoId);
  uint32_t next = 0;
  while (!ready.empty()) {
    const auto [node, g] = ready.top();
    ready.pop();
    if (node != kNoId) number[g] = next++;
    for (uint32_t r : readers[g]) {
      if (--missing[r] == 0) ready.push({first[r], r});
    }
  }
  for (uint32_t& g : groups.of_node) {
    if (g != kNoId) g = number[g];
  }
  groups.count = next;
}

}  // namespace changeaware
