#include "strategy/node_times.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "analysis/cost.h"
#include "strategy/region_runner.h"
#include "strategy/segment_graph.h"

namespace changeaware {
namespace {

constexpr int kRuns = 3;              // after a first one that does not count
constexpr double kLongRunUs = 500e3;  // of such a run, two suffice

bool is_view(const Node& node) {
  return std::any_of(node.op->returns.begin(), node.op->returns.end(),
                     [](const ReturnSchema& r) { return !r.alias_set.empty(); });
}

bool is_constant(const Node& node, const Dependencies& dependencies) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId id) { return id == kNoId || dependencies.shapes[id].none(); });
}

void share_out(const Graph& graph, const Dependencies& dependencies, const Segment& segment,
               double segment_us, std::vector<double>& node_us) {
  double total = 0;
  for (NodeId n : segment.nodes) {
    const Node& node = graph.node(n);
    if (is_view(node) || is_constant(node, dependencies)) {
      node_us[n] = 0;
    } else {
      total += node_us[n];
    }
  }
  if (total <= 0) return;
  for (NodeId n : segment.nodes) node_us[n] *= segment_us / total;
}

// Runs segments one after the other on one set of values.
class SegmentTimer {
 public:
  SegmentTimer(const Engine& engine, const Graph& graph, const std::vector<Tensor>& examples)
      : engine_(engine), graph_(graph) {
    for (size_t i = 0; i < examples.size(); ++i) {
      values_[graph.value(graph.inputs()[i]).name] = examples[i];
    }
  }

  bool knows_inputs_of(const Segment& segment) const {
    return std::all_of(segment.inputs.begin(), segment.inputs.end(),
                       [&](ValueId id) { return values_.contains(graph_.value(id).name); });
  }

  Result<double> microseconds(const Segment& segment) {
    CA_ASSIGN_OR_RETURN(const Graph region, segment_graph(graph_, segment));
    CA_ASSIGN_OR_RETURN(RegionRunner runner, RegionRunner::load(engine_, segment.name, region));
    std::vector<Tensor> inputs;
    for (const std::string& name : runner.inputs()) inputs.push_back(values_.at(name));
    std::vector<Tensor> outputs;
    double least = 0;
    for (int run = 0; run <= kRuns; ++run) {
      if (run == kRuns && least > kLongRunUs) break;
      const auto start = std::chrono::steady_clock::now();
      auto result = runner.run(inputs);
      const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
      if (!result.ok()) return result.status().with_context(segment.name);
      outputs = *std::move(result);
      if (run > 0) least = run == 1 ? us.count() : std::min(least, us.count());
    }
    for (size_t i = 0; i < outputs.size(); ++i) values_[runner.outputs()[i]] = outputs[i];
    return least;
  }

 private:
  const Engine& engine_;
  const Graph& graph_;
  std::map<std::string, Tensor> values_;
};

}  // namespace

std::vector<double> nominal_node_times(const Graph& graph) {
  std::vector<double> out;
  for (const Node& node : graph.nodes()) {
    out.push_back(nominal_microseconds(estimate_cost(graph, node)));
  }
  return out;
}

Result<std::vector<double>> measure_node_times(
    const Engine& engine, const Graph& graph, const Dependencies& dependencies,
    const Partition& partition, const std::vector<Tensor>& examples,
    const std::function<void(size_t, size_t)>& progress) {
  InputSet all(graph.inputs().size());
  for (const Segment& segment : partition.segments) all |= segment.dependencies;
  std::vector<double> node_us = nominal_node_times(graph);
  SegmentTimer timer(engine, graph, examples);
  for (size_t i = 0; i < partition.segments.size(); ++i) {
    if (progress) progress(i, partition.segments.size());
    const Segment& segment = partition.segments[i];
    // What depends on everything is spared by no change; neither is what reads it.
    if (segment.dependencies == all || !timer.knows_inputs_of(segment)) continue;
    CA_ASSIGN_OR_RETURN(const double us, timer.microseconds(segment));
    share_out(graph, dependencies, segment, us, node_us);
  }
  return node_us;
}

}  // namespace changeaware
