#include "regions/slices.h"

#include <algorithm>

#include "analysis/cost.h"
#include "base/errors.h"
#include "regions/cut_problem.h"
#include "regions/views.h"

namespace changeaware {
namespace {

// Inputs whose values the program's results and assertions depend on.
InputSet program_dependencies(const Graph& graph, const Dependencies& dependencies) {
  InputSet all(graph.inputs().size());
  const auto add = [&](ValueId v) { all |= dependencies.values[v]; };
  for (const Argument& output : graph.outputs()) for_each_value(output, add);
  for (const Assertion& assertion : graph.assertions()) add(assertion.condition);
  return all;
}

class Slicer {
 public:
  Slicer(const Graph& graph, const Dependencies& dependencies, const PartitionOptions& options,
         Groups& groups)
      : graph_(graph),
        dependencies_(dependencies),
        options_(options),
        groups_(groups),
        all_(program_dependencies(graph, dependencies)),
        reader_(graph) {
    cuts_ = options.cuts;
    if (options.node_us.empty()) cuts_.max_cuts = 1;
  }

  Result<Slices> run() {
    CA_RETURN_IF_ERROR(set_times());
    std::vector<std::vector<NodeId>> nodes(groups_.count);
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (groups_.of_node[n] != kNoId) nodes[groups_.of_node[n]].push_back(n);
    }
    for (const auto& group : nodes) {
      if (!group.empty()) CA_RETURN_IF_ERROR(visit(group));
    }
    return std::move(slices_);
  }

 private:
  Status set_times() {
    if (!options_.node_us.empty() && options_.node_us.size() != graph_.nodes().size()) {
      return invalid_argument("{} node times for a graph of {} nodes", options_.node_us.size(),
                              graph_.nodes().size());
    }
    node_us_ = options_.node_us;
    if (node_us_.empty()) {
      for (const Node& node : graph_.nodes())
        node_us_.push_back(nominal_microseconds(estimate_cost(graph_, node)));
    }
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (is_view(graph_, graph_.node(n))) node_us_[n] = 0;
    }
    return {};
  }

  Status visit(const std::vector<NodeId>& nodes) {
    std::string reason = known_useless(nodes);
    if (!reason.empty()) return turn_down(nodes, {}, std::move(reason));
    CA_ASSIGN_OR_RETURN(const CutProblem problem, reader_.read(nodes, node_us_));
    CA_ASSIGN_OR_RETURN(CutChain chain, cut_class(problem, cuts_));
    reason = not_worth_it(nodes, chain);
    if (!reason.empty()) return turn_down(nodes, {}, std::move(reason));
    for (RejectedCut& cut : chain.rejected) {
      if (options_.node_us.empty()) break;  // nothing was to be sliced
      CA_RETURN_IF_ERROR(
          turn_down(nodes, fmt::format("at {} bytes", cut.retained_bytes), std::move(cut.reason)));
    }
    split(nodes, std::move(chain));
    return {};
  }

  Status turn_down(const std::vector<NodeId>& nodes, std::string cut, std::string reason) {
    slices_.rejected.push_back({nodes.front(), std::move(cut), std::move(reason)});
    return {};
  }

  // Whether any change spares the group.
  std::string known_useless(const std::vector<NodeId>& nodes) const {
    InputSet values(graph_.inputs().size());
    InputSet shapes(graph_.inputs().size());
    for (NodeId n : nodes) {
      for (ValueId v : graph_.node(n).outputs) {
        if (v == kNoId) continue;
        values |= dependencies_.values[v];
        shapes |= dependencies_.shapes[v];
      }
    }
    if (shapes.none()) return "constant: the engine computes it when it is loaded";
    if (all_.is_subset_of(values)) {
      return "depends on every input: only an exact repeat could use it";
    }
    return {};
  }

  std::string not_worth_it(const std::vector<NodeId>& nodes, const CutChain& chain) const {
    const Cut& whole = chain.cuts.back();
    if (whole.retained.empty()) return "nothing else reads it and the program does not return it";
    const double us = chain.cuts.front().recompute_us;
    const bool has_work = std::any_of(nodes.begin(), nodes.end(),
                                      [&](NodeId n) { return is_contraction(*graph_.node(n).op); });
    if (has_work || us >= options_.tiny_us || whole.retained_bytes <= cuts_.min_saved_bytes) {
      return {};
    }
    return fmt::format("retains {} bytes to avoid {:.1f} us, less than the {:.0f} us of a call",
                       whole.retained_bytes, us, options_.tiny_us);
  }

  void split(const std::vector<NodeId>& nodes, CutChain chain) {
    const uint32_t own = groups_.of_node[nodes.front()];
    const auto slices = static_cast<uint32_t>(chain.cuts.size() - 1);
    GroupChain out;
    out.first_nodes.assign(slices, kNoId);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t slice = chain.slice_of_node[i];
      if (slice > 0)
        groups_.of_node[nodes[i]] = groups_.count + slice - 1;
      else
        groups_.of_node[nodes[i]] = own;
      if (out.first_nodes[slice] == kNoId) out.first_nodes[slice] = nodes[i];
    }
    groups_.count += slices - 1;
    out.cuts = std::move(chain.cuts);
    slices_.chains.push_back(std::move(out));
  }

  const Graph& graph_;
  const Dependencies& dependencies_;
  const PartitionOptions& options_;
  Groups& groups_;
  const InputSet all_;
  CutProblemReader reader_;
  CutOptions cuts_;
  std::vector<double> node_us_;
  Slices slices_;
};

}  // namespace

Result<Slices> slice_groups(const Graph& graph, const Dependencies& dependencies,
                            const PartitionOptions& options, Groups& groups) {
  return Slicer(graph, dependencies, options, groups).run();
}

}  // namespace changeaware
