#include "analysis/dependencies.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/errors.h"
#include "graph/expression.h"

namespace changeaware {
namespace {

struct MetadataArgument {
  std::string_view op;
  std::string_view argument;
};

constexpr std::array kMetadataOnly = {
    MetadataArgument{"aten.sym_size.int", "self"},
    MetadataArgument{"aten.sym_numel.default", "self"},
    MetadataArgument{"aten.sym_stride.int", "self"},
    MetadataArgument{"aten.sym_storage_offset.default", "self"},
    MetadataArgument{"aten.zeros_like.default", "self"},
    MetadataArgument{"aten.ones_like.default", "self"},
    MetadataArgument{"aten.full_like.default", "self"},
    MetadataArgument{"aten.new_zeros.default", "self"},
    MetadataArgument{"aten.new_ones.default", "self"},
    MetadataArgument{"aten.new_full.default", "self"},
    MetadataArgument{"aten.expand_as.default", "other"},
    MetadataArgument{"aten.view_as.default", "other"},
    MetadataArgument{"aten.reshape_as.default", "other"},
    MetadataArgument{"aten.type_as.default", "other"},
};

class Analysis {
 public:
  explicit Analysis(const Graph& graph) : graph_(graph), none_(graph.inputs().size()) {
    out_.values.assign(graph.values().size(), none_);
    out_.shapes.assign(graph.values().size(), none_);
  }

  Result<Dependencies> run() {
    seed_inputs();
    for (const Node& node : graph_.nodes()) CA_RETURN_IF_ERROR(visit(node));
    return std::move(out_);
  }

 private:
  void seed_inputs() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId id = graph_.inputs()[i];
      is_input_.insert(id);
      out_.values[id].set(i);
      out_.shapes[id].set(i);
      for (const Dim& d : graph_.value(id).spec.dims) {
        // Two inputs that share a symbol have equal sizes there by the program's own guard, so the
        // first one stands for both.
        if (is_symbol(d.expression)) own(d.expression, i);
      }
      if (graph_.value(id).kind == ValueKind::kSymInt) own(graph_.value(id).symbol.expression, i);
    }
    for (size_t i = 0; i < graph_.inputs().size(); ++i) seed_derived(i);
  }
  // An expression with one symbol that is not a size by itself anywhere defines it ("4*s0").
  void seed_derived(size_t input) {
    for (const Dim& d : graph_.value(graph_.inputs()[input]).spec.dims) {
      std::set<std::string> unknown;
      for (std::string& symbol : symbols_in(d.expression)) {
        if (!owner_.contains(symbol)) unknown.insert(std::move(symbol));
      }
      if (unknown.size() == 1) own(*unknown.begin(), input);
    }
  }
  void own(const std::string& symbol, size_t input) {
    const auto [it, fresh] = owner_.emplace(symbol, none_);
    if (fresh) it->second.set(input);
  }

  Status visit(const Node& node) {
    InputSet values = none_;
    InputSet shapes = none_;
    for (size_t a = 0; a < node.args.size(); ++a) {
      const bool metadata = reads_only_metadata(*node.op, a);
      for_each_value(node.args[a], [&](ValueId id) {
        // Also where its sizes are fixed: the node reads that input, so a request must give it.
        if (!metadata || !is_input_.contains(id)) values |= out_.values[id];
        shapes |= out_.shapes[id];
      });
    }
    for (ValueId id : node.outputs) {
      if (id != kNoId) CA_RETURN_IF_ERROR(add_symbols(graph_.value(id), values | shapes, shapes));
    }
    for (ValueId id : node.outputs) {
      if (id == kNoId) continue;
      out_.values[id] = values;
      out_.shapes[id] = shapes;
    }
    return {};
  }

  Status add_symbols(const Value& value, const InputSet& producer, InputSet& shapes) {
    CA_RETURN_IF_ERROR(add_symbols_of(value, value.symbol, producer, shapes));
    for (const Dim& d : value.spec.dims)
      CA_RETURN_IF_ERROR(add_symbols_of(value, d, producer, shapes));
    return {};
  }
  // The first node that has an unbacked symbol defines it, from the contents of what it reads.
  Status add_symbols_of(const Value& value, const Dim& dim, const InputSet& producer,
                        InputSet& shapes) {
    if (dim.fixed()) return {};
    for (const std::string& symbol : symbols_in(dim.expression)) {
      auto it = owner_.find(symbol);
      if (it == owner_.end() && is_unbacked_symbol(symbol)) {
        it = owner_.emplace(symbol, producer).first;
      }
      if (it == owner_.end()) {
        if (value.kind != ValueKind::kTensor && value.kind != ValueKind::kSymInt) continue;
        return invalid_program("'{}' has a size with the symbol {}, which no input defines",
                               value.name, symbol);
      }
      shapes |= it->second;
    }
    return {};
  }

  const Graph& graph_;
  const InputSet none_;
  Dependencies out_;
  std::set<ValueId> is_input_;
  std::map<std::string, InputSet> owner_;  // symbol -> the inputs that it comes from
};

}  // namespace

bool reads_only_metadata(const OpSchema& op, size_t index) {
  return std::any_of(kMetadataOnly.begin(), kMetadataOnly.end(), [&](const MetadataArgument& m) {
    return m.op == op.name && m.argument == op.args[index].name;
  });
}

Result<Dependencies> analyse_dependencies(const Graph& graph) { return Analysis(graph).run(); }

}  // namespace changeaware
