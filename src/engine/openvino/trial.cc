#include "engine/openvino/trial.h"

#include <map>
#include <openvino/op/util/framework_node.hpp>
#include <unordered_set>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/converter.h"
#include "engine/openvino/frontend_errors.h"
#include "engine/openvino/node_signature.h"

namespace changeaware::ovn {
namespace {

constexpr const char* kNoRule = "OpenVINO has no conversion of it";

struct Failing {
  std::string reason;
  bool without_rule = false;  // fails whatever it reads
  bool replaced = false;      // what reads its results got a stand-in of the right kind
};

class Sorter {
 public:
  explicit Sorter(const Graph& graph) : graph_(graph) {
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      by_mark_.emplace(Converter::node_mark(id), id);
    }
  }

  void add(const std::vector<Findings::Failure>& failures, bool replaced) {
    for (const Findings::Failure& f : failures) {
      failing_.try_emplace(f.node, Failing{f.reason, false, replaced});
    }
  }

  // What the frontend left as it was.
  void add_unconverted(const ov::Model& model) {
    for (const auto& op : model.get_ordered_ops()) {
      const auto left = ov::as_type_ptr<ov::op::util::FrameworkNode>(op);
      if (left == nullptr) continue;
      const auto& attributes = left->get_attrs();
      const auto mark = attributes.find("PtSchema");
      const auto node = mark == attributes.end() ? by_mark_.end() : by_mark_.find(mark->second);
      if (node == by_mark_.end()) {
        unattributed_ = "a part of the model was not converted";
        continue;
      }
      const auto raised = attributes.find("PtException");
      const bool has_reason = raised != attributes.end() && !raised->second.empty();
      Failing& f = failing_[node->second];
      if (has_reason) f.reason = first_line(raised->second);
      if (f.reason.empty()) {
        f.reason = kNoRule;
        f.without_rule = true;
      }
      f.replaced = false;
    }
  }

  const std::string& unattributed() const { return unattributed_; }

  // A node may fail because of what it reads. Those before which nothing failed are to blame, and
  // with them all that look the same.
  std::vector<NodeRefusal> blamed() const {
    std::vector<NodeRefusal> out;
    std::vector<bool> unknown(graph_.values().size(), false);  // of no dtype or shape
    std::unordered_set<std::string> signatures;
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const Node& node = graph_.node(id);
      bool reads_unknown = false;
      for_each_input(node, [&](ValueId v) { reads_unknown |= unknown[v]; });
      const auto it = failing_.find(id);
      const bool replaced = it != failing_.end() && it->second.replaced;
      const bool leaves_unknown = !replaced && (reads_unknown || it != failing_.end());
      for (ValueId v : node.outputs) {
        if (v != kNoId) unknown[v] = leaves_unknown;
      }
      if (it == failing_.end()) continue;
      const std::string signature = node_signature(graph_, node);
      if (reads_unknown && !it->second.without_rule && !signatures.contains(signature)) continue;
      signatures.insert(signature);
      out.push_back({id, it->second.reason});
    }
    return out;
  }

 private:
  const Graph& graph_;
  std::map<std::string, NodeId> by_mark_;
  std::map<NodeId, Failing> failing_;
  std::string unattributed_;
};

std::vector<ValueId> output_values(const Graph& graph) {
  std::vector<ValueId> out;
  for (const Argument& output : graph.outputs()) out.push_back(std::get<ValueRef>(output).id);
  return out;
}

}  // namespace

Trial try_conversion(const Graph& graph) {
  Trial trial;
  Converter converter(graph, true);
  Sorter sorter(graph);
  try {
    auto converted = converter.try_out(output_values(graph));
    if (!converted.ok()) {
      trial.failure = converted.status().message();
      return trial;
    }
    sorter.add(converter.failures(), true);
    sorter.add(converter.late_failures(), false);
    sorter.add_unconverted(*converted->model);
    trial.model = std::move(converted->model);
    trial.constants = std::move(converted->constants);
  } catch (const std::exception& e) {
    trial.failure = first_line(e.what());
    sorter.add(converter.failures(), true);
  } catch (...) {
    trial.failure = "OpenVINO threw something that is no exception";
  }
  trial.refused = sorter.blamed();
  if (trial.refused.empty() && trial.failure.empty()) trial.failure = sorter.unattributed();
  if (!trial.refused.empty() || !trial.failure.empty()) trial.model.reset();
  return trial;
}

}  // namespace changeaware::ovn
