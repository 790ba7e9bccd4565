// decompose: rewrites composites by the tables of decompositions/. It refuses nothing: a call that
// no entry covers stays as it is, for the engines to judge.
#include <algorithm>
#include <unordered_map>

#include "base/errors.h"
#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/empties.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

class Decomposer {
 public:
  explicit Decomposer(const Graph& graph)
      : graph_(graph), rewriter_(graph), uses_(count_uses(graph)) {
    for (const Rename& rename : renames()) renames_.emplace(rename.from, &rename);
    for (const auto& family : decomposition_families()) {
      for (const Decomposition& entry : family) decompositions_.emplace(entry.name, &entry);
    }
  }

  Result<Graph> run() {
    for (const Node& node : graph_.nodes()) CA_RETURN_IF_ERROR(visit(node));
    return rewriter_.finish();
  }

 private:
  Status visit(const Node& node) {
    const bool used = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](ValueId id) { return id != kNoId && uses_[id] > 0; });
    if (!used && !node.op->has_effects) return {};
    CA_ASSIGN_OR_RETURN(const bool answered, answer_without_elements(rewriter_, node));
    if (answered) return {};
    if (const auto it = renames_.find(node.op->name); it != renames_.end()) {
      return apply(node, *it->second);
    }
    const auto it = decompositions_.find(node.op->name);
    if (it == decompositions_.end()) {
      rewriter_.copy(node);
      return {};
    }
    if (reads_results_from(it->second->results, node)) return leave(node);
    Builder builder(rewriter_, node, uses_);
    it->second->apply(builder);
    if (builder.status().code() == StatusCode::kUnsupported) return leave(node);
    return builder.status();
  }

  // An engine may know the node as it is. What was emitted for it has no readers.
  Status leave(const Node& node) {
    rewriter_.copy(node);
    return {};
  }

  bool reads_results_from(size_t first, const Node& node) const {
    if (node.op->returns_list()) return false;
    for (size_t i = first; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoId && uses_[node.outputs[i]] > 0) return true;
    }
    return false;
  }

  static std::string_view source_name(const Rename& rename, std::string_view to) {
    for (const Rename::Pair& pair : rename.pairs) {
      if (!pair.to.empty() && pair.to == to) return pair.from;
    }
    return to;
  }

  Status apply(const Node& node, const Rename& rename) {
    const OpSchema* to = find_op(rename.to);
    if (to == nullptr) return internal_error("the operator table lacks {}", rename.to);
    if (reads_results_from(1, node)) return leave(node);
    std::vector<bool> passed(node.args.size(), false);
    Node renamed{to, {}, {}, node.name};
    for (const ArgSchema& a : to->args) {
      const int index = node.op->arg_index(source_name(rename, a.name));
      if (index < 0 && !a.has_default) {
        return internal_error("{} does not give {} of {}", rename.from, a.name, rename.to);
      }
      renamed.args.push_back(index < 0 ? a.default_value : node.args[static_cast<size_t>(index)]);
      if (index >= 0) passed[static_cast<size_t>(index)] = true;
    }
    for (size_t i = 0; i < passed.size(); ++i) {
      const ArgSchema& a = node.op->args[i];
      const auto* flag = std::get_if<bool>(&node.args[i]);
      const bool ignored = (flag == nullptr || !*flag) &&
                           std::find(std::begin(rename.ignored), std::end(rename.ignored),
                                     a.name) != std::end(rename.ignored);
      if (!passed[i] && !ignored && !(a.has_default && node.args[i] == a.default_value)) {
        return leave(node);
      }
    }
    renamed.outputs = node.outputs;
    if (!to->returns_list()) renamed.outputs.resize(to->returns.size());
    rewriter_.copy(renamed);
    return {};
  }

  const Graph& graph_;
  Rewriter rewriter_;
  std::vector<uint32_t> uses_;
  std::unordered_map<std::string_view, const Rename*> renames_;
  std::unordered_map<std::string_view, const Decomposition*> decompositions_;
};

}  // namespace

Result<Graph> decompose(const Graph& graph, const PassContext&) { return Decomposer(graph).run(); }

}  // namespace changeaware
