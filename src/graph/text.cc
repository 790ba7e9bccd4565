#include "graph/text.h"

#include <array>
#include <utility>

#include "base/errors.h"
#include "graph/text_names.h"

namespace changeaware {
namespace {

std::string print_spec(const TensorSpec& spec) {
  std::vector<std::string> dims;
  for (const Dim& d : spec.dims) dims.push_back(dim_text(d));
  return fmt::format("{}[{}]", text_dtype_name(spec.dtype), fmt::join(dims, ", "));
}

std::string print_type(const Value& value) {
  switch (value.kind) {
    case ValueKind::kTensor: return print_spec(value.spec);
    case ValueKind::kSymInt: return "sym(" + dim_text(value.symbol) + ")";
    case ValueKind::kSymFloat: return "symfloat(" + dim_text(value.symbol) + ")";
    case ValueKind::kSymBool: return "symbool(" + dim_text(value.symbol) + ")";
  }
  return "";
}

std::string print_double(double d) {
  std::string text = fmt::format("{}", d);
  if (text.find_first_of(".eni") == std::string::npos) text += ".0";
  return text;
}

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

template <class Range, class Print>
std::string print_list(const Range& range, Print print) {
  std::vector<std::string> items;
  for (const auto& item : range) items.push_back(print(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// Prints any Argument; one overload per kind.
struct ArgumentPrinter {
  const Graph& graph;

  std::string name(ValueId id) const { return "%" + graph.value(id).name; }
  std::string operator()(None) const { return "None"; }
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return print_double(d); }
  std::string operator()(const std::string& s) const { return quote(s); }
  std::string operator()(DType d) const { return std::string(text_dtype_name(d)); }
  std::string operator()(MemoryFormat f) const { return std::string(memory_format_name(f)); }
  std::string operator()(Layout l) const {
    return l == Layout::kStrided ? "strided" : "other_layout";
  }
  std::string operator()(const Device& d) const { return "device(" + quote(d.type) + ")"; }
  std::string operator()(ValueRef r) const { return name(r.id); }
  std::string operator()(const TensorList& list) const {
    return print_list(list.items,
                      [&](const auto& v) { return v ? name(*v) : std::string("None"); });
  }
  std::string operator()(const std::vector<int64_t>& v) const {
    return print_list(v, [](int64_t i) { return std::to_string(i); });
  }
  std::string operator()(const std::vector<double>& v) const { return print_list(v, print_double); }
  std::string operator()(const std::vector<bool>& v) const {
    return print_list(v, [](bool b) { return std::string(b ? "True" : "False"); });
  }
  std::string operator()(const SymIntList& list) const {
    return print_list(list.items, [&](const auto& item) {
      if (const auto* ref = std::get_if<ValueRef>(&item)) return name(ref->id);
      return std::to_string(std::get<int64_t>(item));
    });
  }
  std::string operator()(const std::shared_ptr<const Graph>& g) const {
    return "{" + print_graph(*g) + "}";
  }
};

std::string print_node(const Graph& graph, const Node& node) {
  std::vector<std::string> results;
  for (ValueId id : node.outputs) {
    results.push_back(
        id == kNoId ? "_" : "%" + graph.value(id).name + ": " + print_type(graph.value(id)));
  }
  const ArgumentPrinter printer{graph};
  std::vector<std::string> args;
  bool positional = true;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const ArgSchema& schema = node.op->args[i];
    if (schema.has_default && schema.default_value == node.args[i]) {
      positional = false;
      continue;
    }
    std::string text = std::visit(printer, node.args[i]);
    if (schema.keyword_only || !positional) text = schema.name + "=" + text;
    args.push_back(std::move(text));
  }
  return fmt::format("  {}{}{}({})\n", fmt::join(results, ", "), results.empty() ? "" : " = ",
                     node.op->name, fmt::join(args, ", "));
}

std::string print_constant(const Graph& graph, const Constant& c) {
  return fmt::format("  %{} = constant {} {}\n", graph.value(c.value).name,
                     print_spec(graph.value(c.value).spec),
                     c.tensor.numel() <= 16 ? print_elements(c.tensor) : quote(c.fqn));
}

}  // namespace

std::string dim_text(const Dim& dim) {
  return dim.fixed() ? std::to_string(dim.size) : dim.expression;
}

std::string print_graph(const Graph& graph) {
  std::vector<std::string> inputs;
  for (ValueId id : graph.inputs()) {
    inputs.push_back("%" + graph.value(id).name + ": " + print_type(graph.value(id)));
  }
  std::string out = fmt::format("graph({}) {{\n", fmt::join(inputs, ", "));
  for (const Constant& c : graph.constants()) out += print_constant(graph, c);
  for (const Node& node : graph.nodes()) out += print_node(graph, node);
  const ArgumentPrinter printer{graph};
  for (const Assertion& a : graph.assertions()) {
    out += fmt::format("  assert {} {}\n", printer.name(a.condition), quote(a.message));
  }
  std::vector<std::string> outputs;
  for (const Argument& o : graph.outputs()) outputs.push_back(std::visit(printer, o));
  return out + fmt::format("  return ({})\n}}\n", fmt::join(outputs, ", "));
}

}  // namespace changeaware
