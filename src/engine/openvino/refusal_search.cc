#include "engine/openvino/refusal_search.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/frontend_errors.h"
#include "engine/openvino/guards.h"
#include "engine/openvino/node_signature.h"
#include "engine/openvino/refusals.h"
#include "engine/openvino/trial.h"
#include "graph/subgraph.h"

namespace changeaware::ovn {
namespace {

bool has_graphs(const Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [](const Argument& a) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(a);
  });
}

class RefusalSearch {
 public:
  RefusalSearch(const Graph& graph, const TryCompile& try_compile)
      : graph_(graph), try_compile_(try_compile), reasons_(graph.nodes().size()) {
    for (const Argument& output : graph.outputs())
      for_each_value(output, [&](ValueId v) { wanted_.push_back(v); });
    for (const Assertion& a : graph.assertions()) wanted_.push_back(a.condition);
  }

  Result<std::vector<NodeRefusal>> run() {
    refuse_by_rule();
    for (bool done = false; !done;) {
      const std::vector<NodeId> nodes = remaining();
      CA_ASSIGN_OR_RETURN(const Graph rest, part(nodes));
      CA_RETURN_IF_ERROR(find_guards(rest).status());
      CA_ASSIGN_OR_RETURN(const auto refused, refused_of(rest, nodes));
      for (const auto& [node, reason] : refused) reasons_[nodes[node]] = reason;
      done = refused.empty();
    }
    std::vector<NodeRefusal> out;
    for (NodeId id = 0; id < reasons_.size(); ++id) {
      if (!reasons_[id].empty()) out.push_back({id, std::move(reasons_[id])});
    }
    return out;
  }

 private:
  void refuse_by_rule() {
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (has_graphs(graph_.node(id))) reasons_[id] = "has graphs among its arguments";
    }
    for (NodeRefusal& refusal : known_refusals(graph_)) {
      if (reasons_[refusal.node].empty()) reasons_[refusal.node] = std::move(refusal.reason);
    }
  }

  std::vector<NodeId> remaining() const {
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < reasons_.size(); ++id) {
      if (reasons_[id].empty()) nodes.push_back(id);
    }
    return nodes;
  }

  // The graph of these nodes alone: what they read is an input, what others read an output.
  Result<Graph> part(std::span<const NodeId> nodes) const {
    std::vector<bool> inside(graph_.nodes().size(), false);
    std::vector<bool> computed(graph_.values().size(), false);
    std::vector<bool> input(graph_.values().size(), false);
    std::vector<ValueId> inputs, outputs;
    for (NodeId id : nodes) {
      inside[id] = true;
      for_each_input(graph_.node(id), [&](ValueId v) {
        if (computed[v] || input[v] || graph_.constant_of(v) != nullptr) return;
        input[v] = true;
        inputs.push_back(v);
      });
      for (ValueId v : graph_.node(id).outputs) {
        if (v != kNoId) computed[v] = true;
      }
    }
    const auto want = [&](ValueId v) {
      if (!computed[v]) return;
      computed[v] = false;  // once
      outputs.push_back(v);
    };
    for (ValueId v : wanted_) want(v);
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (!inside[id]) for_each_input(graph_.node(id), want);
    }
    return extract_subgraph(graph_, nodes, inputs, outputs);
  }

  // Of `rest`, by its own ids; `nodes` are their ids in the graph.
  Result<std::vector<NodeRefusal>> refused_of(const Graph& rest, std::span<const NodeId> nodes) {
    if (rest.outputs().empty()) return std::vector<NodeRefusal>();
    Trial trial = try_conversion(rest);
    if (!trial.refused.empty()) return std::move(trial.refused);
    const bool compiles = trial.failure.empty();
    if (compiles && try_compile_ == nullptr) return std::vector<NodeRefusal>();
    std::string failure = std::move(trial.failure);
    if (compiles) failure = compile_failure(trial);
    if (failure.empty()) return std::vector<NodeRefusal>();
    trial = {};
    std::vector<NodeRefusal> found = alone(nodes, compiles);
    if (found.empty()) found = by_halving(nodes, compiles);
    if (found.empty()) return internal_error("OpenVINO: {}", failure);
    return found;
  }

  std::string compile_failure(const Trial& trial) const {
    try {
      try_compile_(trial.model);
    } catch (const std::exception& e) {
      return first_line(e.what());
    } catch (...) {
      return "OpenVINO threw something that is no exception";
    }
    return {};
  }

  // Why a part of the graph fails by itself; empty = it does not.
  Result<std::string> failure_of(std::span<const NodeId> nodes, bool compile) const {
    CA_ASSIGN_OR_RETURN(const Graph graph, part(nodes));
    if (graph.outputs().empty()) return std::string();
    const Trial trial = try_conversion(graph);
    if (!trial.refused.empty()) return trial.refused.front().reason;
    if (!trial.failure.empty() || !compile) return trial.failure;
    return compile_failure(trial);
  }

  std::vector<NodeRefusal> alone(std::span<const NodeId> nodes, bool compile) {
    std::vector<NodeRefusal> found;
    for (NodeId i = 0; i < nodes.size(); ++i) {
      std::string key = node_signature(graph_, graph_.node(nodes[i])) + (compile ? "c" : "");
      auto [it, fresh] = alone_.try_emplace(std::move(key));
      if (fresh) {
        auto failure = failure_of(nodes.subspan(i, 1), compile);
        if (failure.ok()) it->second = *std::move(failure);
      }
      if (!it->second.empty()) found.push_back({i, it->second});
    }
    return found;
  }

  // The last node of the shortest beginning that fails.
  std::vector<NodeRefusal> by_halving(std::span<const NodeId> nodes, bool compile) const {
    size_t good = 0, bad = nodes.size();
    std::string reason;
    while (bad - good > 1) {
      const size_t middle = good + (bad - good) / 2;
      auto failure = failure_of(nodes.first(middle), compile);
      const bool fails = failure.ok() && !failure->empty();
      if (fails) reason = *failure;
      (fails ? bad : good) = middle;
    }
    if (reason.empty()) {
      auto failure = failure_of(nodes, compile);
      if (!failure.ok() || failure->empty()) return {};
      reason = *std::move(failure);
    }
    return {{static_cast<NodeId>(bad - 1), reason}};
  }

  const Graph& graph_;
  const TryCompile& try_compile_;
  std::vector<std::string> reasons_;  // per node; empty = nothing known against it
  std::vector<ValueId> wanted_;       // outputs and conditions
  std::unordered_map<std::string, std::string> alone_;  // by signature
};

}  // namespace

Result<std::vector<NodeRefusal>> find_refusals(const Graph& graph, const TryCompile& try_compile) {
  return RefusalSearch(graph, try_compile).run();
}

}  // namespace changeaware::ovn
