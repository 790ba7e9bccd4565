#include "regions/cut_problem.h"

#include <cmath>
#include <numeric>

#include "analysis/cost.h"
#include "base/checked.h"
#include "base/errors.h"
#include "regions/views.h"

namespace changeaware {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 60;

// Calls visit(value) once for each source of a value that the node reads.
template <class Visit>
void for_each_distinct_source(const Graph& graph, const std::vector<ValueId>& source, NodeId n,
                              std::vector<NodeId>& last_reader, Visit&& visit) {
  for_each_input(graph.node(n), [&](ValueId read) {
    const ValueId v = source[read];
    if (last_reader[v] == n) return;
    last_reader[v] = n;
    visit(v);
  });
}

}  // namespace

CutProblemReader::CutProblemReader(const Graph& graph)
    : graph_(graph),
      first_reader_(graph.values().size() + 1, 0),
      is_returned_(graph.values().size(), false),
      source_(shaped_from(graph)),
      local_(graph.nodes().size(), kNoId) {
  std::vector<NodeId> last_reader(graph.values().size(), kNoId);
  const auto nodes = static_cast<NodeId>(graph.nodes().size());
  for (NodeId n = 0; n < nodes; ++n) {
    for_each_distinct_source(graph, source_, n, last_reader,
                             [&](ValueId v) { ++first_reader_[v + 1]; });
  }
  std::partial_sum(first_reader_.begin(), first_reader_.end(), first_reader_.begin());
  readers_.resize(first_reader_.back());
  std::vector<size_t> next(first_reader_.begin(), first_reader_.end() - 1);
  last_reader.assign(graph.values().size(), kNoId);
  for (NodeId n = 0; n < nodes; ++n) {
    for_each_distinct_source(graph, source_, n, last_reader,
                             [&](ValueId v) { readers_[next[v]++] = n; });
  }
  for (const Argument& output : graph.outputs()) {
    for_each_value(output, [&](ValueId v) { is_returned_[v] = true; });
  }
}

Result<CutProblem> CutProblemReader::read(std::span<const NodeId> nodes,
                                          std::span<const double> node_us) {
  CA_RETURN_IF_ERROR(check(nodes, node_us));
  for (uint32_t i = 0; i < nodes.size(); ++i) local_[nodes[i]] = i;
  CutProblem problem;
  uint64_t total_bytes = 0;
  Status status;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    problem.node_us.push_back(node_us[nodes[i]]);
    for (ValueId v : graph_.node(nodes[i]).outputs) {
      if (v != kNoId && source_[v] == v && status.ok())
        status = add_value(v, i, total_bytes, problem);
    }
  }
  for (NodeId n : nodes) local_[n] = kNoId;
  CA_RETURN_IF_ERROR(status);
  return problem;
}

Status CutProblemReader::check(std::span<const NodeId> nodes,
                               std::span<const double> node_us) const {
  if (nodes.empty()) return invalid_argument("a class without nodes has no cuts");
  if (node_us.size() != graph_.nodes().size()) {
    return invalid_argument("{} node times for a graph of {} nodes", node_us.size(),
                            graph_.nodes().size());
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] >= node_us.size()) return invalid_argument("the graph has no node {}", nodes[i]);
    const std::string& name = graph_.node(nodes[i]).name;
    if (i > 0 && nodes[i] <= nodes[i - 1]) {
      return invalid_argument("node '{}' is not in increasing order in its class", name);
    }
    const double us = node_us[nodes[i]];
    if (!std::isfinite(us) || us < 0) {
      return invalid_argument("node '{}' cannot take {} us", name, us);
    }
  }
  return {};
}

Status CutProblemReader::add_value(ValueId id, uint32_t producer, uint64_t& total_bytes,
                                   CutProblem& problem) const {
  CutValue value{id, producer, value_bytes(graph_, id), is_returned_[id], {}};
  for (size_t i = first_reader_[id]; i < first_reader_[id + 1]; ++i) {
    const uint32_t reader = local_[readers_[i]];
    if (reader == kNoId) {
      value.external = true;
    } else {
      value.readers.push_back(reader);
    }
  }
  if (!value.external && value.readers.empty()) return {};
  const auto sum = checked_add(total_bytes, value.bytes);
  if (!sum || *sum > kMostBytes) {
    return invalid_argument("the values of a class have more than 2^60 bytes with '{}'",
                            graph_.value(id).name);
  }
  total_bytes = *sum;
  problem.values.push_back(std::move(value));
  return {};
}

}  // namespace changeaware
