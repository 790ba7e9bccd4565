#include "pt2/graph_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"
#include "graph/control_flow.h"
#include "pt2/argument_writer.h"
#include "pt2/codes.h"
#include "pt2/meta_writer.h"

namespace changeaware {
namespace {

constexpr int kPositional = 1;
constexpr int kKeyword = 2;

// Namespaces of PyTorch operators; others ("_operator", "math", "torch") are Python functions.
constexpr std::array<std::string_view, 3> kPythonSpaces = {"_operator", "math", "torch"};

std::string target_of(const OpSchema& op) {
  const bool python =
      std::find(kPythonSpaces.begin(), kPythonSpaces.end(), op.ns()) != kPythonSpaces.end();
  return python ? op.name : "torch.ops." + op.name;
}

bool is_higher_order(const OpSchema& op) { return op.ns() == "higher_order"; }

struct ValueTable {
  ValueKind kind;
  std::string_view name;
  Status (*write)(JsonWriter&, const Value&);
};
constexpr ValueTable kTables[] = {
    {ValueKind::kTensor, "tensor_values",
     [](JsonWriter& json, const Value& v) { return write_tensor_spec(json, v.spec); }},
    {ValueKind::kSymInt, "sym_int_values",
     [](JsonWriter& json, const Value& v) { return write_sym_int(json, v.symbol); }},
    {ValueKind::kSymFloat, "sym_float_values",
     [](JsonWriter& json, const Value& v) { return write_sym_float(json, v.symbol); }},
    {ValueKind::kSymBool, "sym_bool_values",
     [](JsonWriter& json, const Value& v) { return write_sym_bool(json, v.symbol); }},
};

// Values that an input, constant or node defines; others may be left over from rewriting.
std::vector<bool> defined_values(const Graph& graph) {
  std::vector<bool> defined(graph.values().size(), false);
  for (const ValueId id : graph.inputs()) defined[id] = true;
  for (const Constant& c : graph.constants()) defined[c.value] = true;
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.outputs) {
      if (id != kNoId) defined[id] = true;
    }
  }
  return defined;
}

Status write_tables(JsonWriter& json, const Graph& graph, bool single_tensor) {
  const std::vector<bool> defined = defined_values(graph);
  for (const ValueTable& table : kTables) {
    json.key(table.name).begin_object();
    for (size_t id = 0; id < graph.values().size(); ++id) {
      const Value& value = graph.values()[id];
      if (value.kind != table.kind || !defined[id]) continue;
      json.key(value.name);
      const Status status = table.write(json, value);
      if (!status.ok()) return status.with_context(value.name);
    }
    json.end_object();
  }
  json.field("is_single_tensor_return", single_tensor);
  json.key("custom_obj_values").begin_object().end_object();
  return {};
}

void write_result(JsonWriter& json, const Graph& graph, ValueId id) {
  if (id == kNoId) {
    json.begin_object().field("as_none", true).end_object();
  } else {
    write_value_ref(json, graph.value(id));
  }
}

Status write_results(JsonWriter& json, const Graph& graph, const Node& node) {
  json.key("outputs").begin_array();
  if (node.op->returns_list() && !is_higher_order(*node.op)) {
    json.begin_object().key("as_tensors").begin_array();
    for (const ValueId id : node.outputs) {
      if (id == kNoId) return invalid_program("an element of its list of results has no name");
      json.begin_object().field("name", graph.value(id).name).end_object();
    }
    json.end_array().end_object();
  } else {
    for (const ValueId id : node.outputs) write_result(json, graph, id);
  }
  json.end_array();
  return {};
}

}  // namespace

std::vector<const Constant*> ordered_constants(const Graph& graph) {
  const auto rank = [](ConstantKind kind) {
    if (kind == ConstantKind::kParameter) return 0;
    return kind == ConstantKind::kLifted ? 2 : 1;
  };
  std::vector<const Constant*> out;
  for (const Constant& c : graph.constants()) out.push_back(&c);
  std::stable_sort(out.begin(), out.end(), [&](const Constant* a, const Constant* b) {
    return rank(a->kind) < rank(b->kind);
  });
  return out;
}

Status ProgramGraphWriter::write_input(JsonWriter& json, const Graph& graph, std::string_view name,
                                       int kind, const Argument& argument, bool single_tensor) {
  const auto nested = [&](JsonWriter& out, const Graph& inner) {
    return write_nested(out, inner, single_tensor);
  };
  json.begin_object().field("name", name).key("arg");
  CA_RETURN_IF_ERROR(write_argument(json, argument, graph, nested));
  json.field("kind", kind).end_object();
  return {};
}

// Without names, and the list of operands spread out where PyTorch does.
Status ProgramGraphWriter::write_operands(JsonWriter& json, const Graph& graph, const Node& node) {
  for (const Argument& argument : node.args) {
    const auto* list = std::get_if<TensorList>(&argument);
    if (list == nullptr || is_control_flow(*node.op)) {
      // The condition of a loop gives one truth value, not a list of one.
      const bool condition =
          node.op->name == "higher_order.while_loop" && &argument == &node.args.front();
      CA_RETURN_IF_ERROR(write_input(json, graph, "", kPositional, argument, condition));
      continue;
    }
    for (const auto& item : list->items) {
      const Argument operand = item ? Argument(ValueRef{*item}) : Argument(None{});
      CA_RETURN_IF_ERROR(write_input(json, graph, "", kPositional, operand));
    }
  }
  return {};
}

// Leaves out what equals its default, as PyTorch does. Of the positional ones only the tail can go.
Status ProgramGraphWriter::write_node_inputs(JsonWriter& json, const Graph& graph,
                                             const Node& node) {
  const auto& schema = node.op->args;
  const auto is_default = [&](size_t i) {
    return schema[i].has_default && schema[i].default_value == node.args[i];
  };
  size_t positional = 0;
  for (size_t i = 0; i < schema.size(); ++i) {
    if (!schema[i].keyword_only && !is_default(i)) positional = i + 1;
  }
  for (size_t i = 0; i < schema.size(); ++i) {
    const bool keyword = schema[i].keyword_only;
    if (keyword ? is_default(i) : i >= positional) continue;
    CA_RETURN_IF_ERROR(
        write_input(json, graph, schema[i].name, keyword ? kKeyword : kPositional, node.args[i]));
  }
  return {};
}

// PyTorch gives a node with one result the name of that result; another name must be nobody else's.
std::string ProgramGraphWriter::node_name(const Graph& graph, const Node& node) {
  const bool single =
      node.outputs.size() == 1 && node.outputs[0] != kNoId && !node.op->returns_list();
  if (single) return graph.value(node.outputs[0]).name;
  const std::string wanted = node.name.empty() ? std::string(node.op->base_name()) : node.name;
  std::string name = wanted;
  for (int i = 1; graph.find_value(name) != kNoId || !node_names_.insert(name).second; ++i) {
    name = fmt::format("{}_{}", wanted, i);
  }
  return name;
}

Status ProgramGraphWriter::write_node(JsonWriter& json, const Graph& graph, const Node& node) {
  json.begin_object().field("target", target_of(*node.op)).key("inputs").begin_array();
  CA_RETURN_IF_ERROR(is_higher_order(*node.op) ? write_operands(json, graph, node)
                                               : write_node_inputs(json, graph, node));
  json.end_array();
  CA_RETURN_IF_ERROR(write_results(json, graph, node));
  json.key("metadata").begin_object();
  if (node.exact) json.field(kEngineKey, kExactEngine);
  json.end_object().key("is_hop_single_tensor_return");
  if (is_higher_order(*node.op)) {
    json.value(false);
  } else {
    json.null();
  }
  json.field("name", node_name(graph, node)).end_object();
  return {};
}

void ProgramGraphWriter::write_assertion(JsonWriter& json, const Graph& graph, size_t index) {
  const Assertion& assertion = graph.assertions()[index];
  json.begin_object()
      .field("target", "torch.ops.aten._assert_async.msg")
      .key("inputs")
      .begin_array();
  json.begin_object().field("name", "self").key("arg");
  write_value_ref(json, graph.value(assertion.condition));
  json.field("kind", kPositional).end_object();
  json.begin_object().field("name", "assert_msg").key("arg").begin_object();
  json.field("as_string", assertion.message).end_object();
  json.field("kind", kPositional).end_object().end_array();
  json.key("outputs").begin_array().end_array().key("metadata").begin_object().end_object();
  json.key("is_hop_single_tensor_return").null();
  std::string name = "_assert_async";
  for (int i = 1; graph.find_value(name) != kNoId || !node_names_.insert(name).second; ++i) {
    name = fmt::format("_assert_async_{}", i);
  }
  json.field("name", name).end_object();
}

// All but the inputs.
Status ProgramGraphWriter::write_body(JsonWriter& json, const Graph& graph, bool single_tensor) {
  json.key("outputs").begin_array();
  for (const Argument& output : graph.outputs()) {
    CA_RETURN_IF_ERROR(write_argument(json, output, graph, {}));
  }
  json.end_array().key("nodes").begin_array();
  const std::set<std::string> outer_names = std::exchange(node_names_, {});
  for (const Node& node : graph.nodes()) {
    const Status status = write_node(json, graph, node);
    if (!status.ok()) return status.with_context(fmt::format("node '{}'", node.name));
  }
  for (size_t i = 0; i < graph.assertions().size(); ++i) write_assertion(json, graph, i);
  node_names_ = outer_names;
  json.end_array();
  return write_tables(json, graph, single_tensor);
}

Status ProgramGraphWriter::write_nested(JsonWriter& json, const Graph& graph, bool single_tensor) {
  json.begin_object().field("name", fmt::format("submod_{}", ++nested_count_)).key("graph");
  json.begin_object().key("inputs").begin_array();
  for (const ValueId id : graph.inputs()) write_value_ref(json, graph.value(id));
  json.end_array();
  CA_RETURN_IF_ERROR(write_body(json, graph, single_tensor));
  json.end_object().end_object();
  return {};
}

Status ProgramGraphWriter::write_program(JsonWriter& json, const Graph& graph,
                                         const std::vector<Argument>& user_inputs) {
  json.begin_object().key("inputs").begin_array();
  for (const Constant* c : ordered_constants(graph)) write_value_ref(json, graph.value(c->value));
  for (const Argument& input : user_inputs) {
    CA_RETURN_IF_ERROR(write_argument(json, input, graph, {}));
  }
  json.end_array();
  CA_RETURN_IF_ERROR(write_body(json, graph, false));
  json.end_object();
  return {};
}

}  // namespace changeaware
