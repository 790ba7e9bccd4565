#include "normalise/fold.h"

#include <map>

#include "base/errors.h"
#include "normalise/data_dependence.h"
#include "normalise/identities.h"
#include "normalise/numbers.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

class Folder {
 public:
  Folder(const Graph& graph, bool keep_layouts)
      : graph_(graph),
        keep_layouts_(keep_layouts),
        from_contents_(data_dependent_values(graph)),
        rewriter_(graph) {
    for (ValueId id : graph.inputs()) {
      const Value& value = graph.value(id);
      if (value.kind != ValueKind::kTensor) continue;
      for (size_t i = 0; i < value.spec.dims.size(); ++i) {
        const Dim& dim = value.spec.dims[i];
        if (!dim.fixed()) sources_.try_emplace(dim.expression, id, static_cast<int64_t>(i));
      }
    }
  }

  Result<Step> run() {
    bool changed = false;
    for (const Node& node : graph_.nodes()) {
      const bool folded = fold_size(node) || fold_number(node) || fold_identity(node);
      if (!folded) rewriter_.copy(node);
      changed = changed || folded;
    }
    CA_ASSIGN_OR_RETURN(Graph graph, rewriter_.finish());
    return Step{std::move(graph), changed || moved_};
  }

 private:
  bool fold_identity(const Node& node) {
    const ValueId same = identity_of(graph_, node, keep_layouts_);
    if (same == kNoId || rewriter_.mapped_value(same) == kNoId) return false;
    rewriter_.map(node.outputs[0], rewriter_.mapped(same));
    return true;
  }

  bool fold_number(const Node& node) {
    if (node.outputs.size() != 1 || node.outputs[0] == kNoId) return false;
    if (graph_.value(node.outputs[0]).kind == ValueKind::kTensor) return false;
    const auto value = evaluate(*node.op, rewriter_.mapped_args(node));
    if (!value) return false;
    rewriter_.map(node.outputs[0], *value);
    return true;
  }

  // sym_size.int: the number, or the same symbol read from an input.
  bool fold_size(const Node& node) {
    if (node.op->name != "aten.sym_size.int" || node.outputs[0] == kNoId) return false;
    const ValueId self = tensor_argument(node, "self");
    const auto dim = int_argument(node, "dim");
    if (self == kNoId || !dim || from_contents_[self]) return false;
    const std::vector<Dim>& dims = graph_.value(self).spec.dims;
    const auto rank = static_cast<int64_t>(dims.size());
    const int64_t index = *dim < 0 ? *dim + rank : *dim;
    if (index < 0 || index >= rank) return false;
    const Dim& size = dims[static_cast<size_t>(index)];
    if (size.fixed()) {
      rewriter_.map(node.outputs[0], size.size);
      return true;
    }
    return read_from_input(node, size, self, *dim);
  }

  bool read_from_input(const Node& node, const Dim& size, ValueId self, int64_t dim) {
    const auto it = sources_.find(size.expression);
    if (it == sources_.end()) return false;
    const auto& [input, index] = it->second;
    if (input == self && index == dim) return false;
    std::vector<Argument> args = rewriter_.mapped_args(node);
    args[static_cast<size_t>(node.op->arg_index("self"))] = rewriter_.mapped(input);
    args[static_cast<size_t>(node.op->arg_index("dim"))] = index;
    rewriter_.copy(node, std::move(args));
    moved_ = true;
    return true;
  }

  const Graph& graph_;
  const bool keep_layouts_;
  const std::vector<bool> from_contents_;  // by value: what the file says of its sizes is a claim
  Rewriter rewriter_;
  std::map<std::string, std::pair<ValueId, int64_t>> sources_;  // by symbol: input and dimension
  bool moved_ = false;
};

}  // namespace

Result<Step> fold(const Graph& graph, bool keep_layouts) {
  return Folder(graph, keep_layouts).run();
}

}  // namespace changeaware
