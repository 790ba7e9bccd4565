#include "pt2/graph_reader.h"

#include <functional>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "pt2/codes.h"
#include "pt2/meta_reader.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::string_view kOpsPrefix = "torch.ops.";

struct ValueTable {
  std::string_view name;
  ValueKind kind;
};
constexpr ValueTable kValueTables[] = {{"tensor_values", ValueKind::kTensor},
                                       {"sym_int_values", ValueKind::kSymInt},
                                       {"sym_float_values", ValueKind::kSymFloat},
                                       {"sym_bool_values", ValueKind::kSymBool}};

// Kinds of union members that name a new value, and the field that holds the name.
struct NamedKind {
  std::string_view kind;
  std::string_view field;
};
constexpr NamedKind kNamedKinds[] = {{"as_tensor", "name"},
                                     {"as_sym_int", "as_name"},
                                     {"as_sym_float", "as_name"},
                                     {"as_sym_bool", "as_name"}};

std::optional<std::string_view> name_field(std::string_view kind) {
  for (const NamedKind& known : kNamedKinds) {
    if (known.kind == kind) return known.field;
  }
  return std::nullopt;
}

Result<Graph> read_nested(const JsonView& view, int depth) {
  CA_ASSIGN_OR_RETURN(GraphReader reader, GraphReader::create(view, depth));
  CA_ASSIGN_OR_RETURN(const auto inputs, reader.define_inputs());
  for (const Argument& input : inputs) {
    const auto* ref = std::get_if<ValueRef>(&input);
    if (ref == nullptr) return at(view, unsupported("a nested graph with a constant as input"));
    reader.graph().add_input(ref->id);
  }
  CA_RETURN_IF_ERROR(reader.read_nodes());
  CA_RETURN_IF_ERROR(reader.read_outputs());
  return std::move(reader.graph());
}

Result<bool> is_exact(const JsonView& node_view) {
  const auto metadata = node_view.find("metadata");
  const auto engine = metadata ? metadata->find(kEngineKey) : std::nullopt;
  if (!engine) return false;
  CA_ASSIGN_OR_RETURN(const std::string_view name, engine->as_string());
  if (name != kExactEngine) return at(*engine, unsupported("engine '{}'", name));
  return true;
}

}  // namespace

std::string_view GraphReader::op_name(std::string_view target) {
  if (target.starts_with(kOpsPrefix)) target.remove_prefix(kOpsPrefix.size());
  return target;
}

Result<GraphReader> GraphReader::create(const JsonView& graph_view, int depth) {
  if (depth > kMaxDepth) return at(graph_view, unsupported("graphs nested {} deep", depth));
  GraphReader reader(graph_view, depth);
  for (const ValueTable& table : kValueTables) {
    CA_RETURN_IF_ERROR(reader.describe(table.name, table.kind));
  }
  return reader;
}

Status GraphReader::describe(std::string_view table, ValueKind kind) {
  const auto values = view_.find(table);
  if (!values) return {};
  CA_ASSIGN_OR_RETURN(const auto members, values->members());
  for (const auto& member : members) {
    const bool is_new =
        descriptions_.emplace(std::string(member.first), Description{kind, member.second}).second;
    if (!is_new)
      return at(member.second, invalid_program("value {} is described twice", member.first));
  }
  return {};
}

Result<Value> GraphReader::read_value(std::string_view name, const Description& description) {
  using Read = Result<Dim> (*)(const JsonView&);
  Value value;
  value.name = name;
  value.kind = description.kind;
  if (description.kind == ValueKind::kTensor) {
    CA_ASSIGN_OR_RETURN(value.spec, read_tensor_spec(description.meta));
    return value;
  }
  const Read read = description.kind == ValueKind::kSymInt     ? read_sym_int
                    : description.kind == ValueKind::kSymFloat ? read_sym_float
                                                               : read_sym_bool;
  CA_ASSIGN_OR_RETURN(value.symbol, read(description.meta));
  return value;
}

Result<ValueId> GraphReader::define(const JsonView& name_view) {
  CA_ASSIGN_OR_RETURN(const std::string_view name, name_view.as_string());
  const auto description = descriptions_.find(name);
  if (description == descriptions_.end()) {
    return at(name_view, invalid_program("value {} has no description", name));
  }
  if (defined_.contains(name)) {
    return at(name_view, invalid_program("value {} is defined twice", name));
  }
  CA_ASSIGN_OR_RETURN(Value value, read_value(name, description->second));
  const ValueId id = graph_.add_value(std::move(value));
  defined_.emplace(name, id);
  return id;
}

ArgumentScope GraphReader::scope() {
  const auto find = [this](std::string_view name) {
    const auto it = defined_.find(name);
    return it == defined_.end() ? kNoId : it->second;
  };
  const auto nested = [this](const JsonView& view) { return read_nested(view, depth_ + 1); };
  return {find, nested};
}

Result<std::vector<Argument>> GraphReader::define_inputs() {
  CA_ASSIGN_OR_RETURN(const JsonView inputs_view, view_.get("inputs"));
  CA_ASSIGN_OR_RETURN(const auto inputs, inputs_view.elements());
  std::vector<Argument> out;
  for (const JsonView& input : inputs) {
    CA_ASSIGN_OR_RETURN(const auto member, input.only_member());
    if (const auto field = name_field(member.first)) {
      CA_ASSIGN_OR_RETURN(const JsonView name, member.second.get(*field));
      CA_ASSIGN_OR_RETURN(const ValueId id, define(name));
      out.push_back(ValueRef{id});
    } else {
      CA_ASSIGN_OR_RETURN(Argument constant, read_argument(input, scope()));
      out.push_back(std::move(constant));
    }
  }
  return out;
}

Status GraphReader::read_nodes() {
  CA_ASSIGN_OR_RETURN(const JsonView nodes_view, view_.get("nodes"));
  CA_ASSIGN_OR_RETURN(const auto nodes, nodes_view.elements());
  for (const JsonView& node : nodes) CA_RETURN_IF_ERROR(read_node(node));
  return {};
}

Status GraphReader::read_node(const JsonView& node_view) {
  CA_ASSIGN_OR_RETURN(const JsonView target_view, node_view.get("target"));
  CA_ASSIGN_OR_RETURN(const std::string_view target, target_view.as_string());
  Node node;
  if (const auto name = node_view.find("name")) {
    CA_ASSIGN_OR_RETURN(node.name, name->as_string());
  }
  const std::string op(op_name(target));
  node.op = find_op(op);
  if (node.op == nullptr) {
    return at(node_view, unsupported("node '{}': operator '{}' is not PyTorch's; name its library "
                                     "(--op-library) for the exact engine to run it",
                                     node.name, op));
  }
  auto args = read_node_args(node_view, *node.op);
  const std::string context = fmt::format("node '{}' ({})", node.name, op);
  if (!args.ok()) return args.status().with_context(context);
  node.args = std::move(*args);
  auto outputs = read_node_outputs(node_view, *node.op);
  if (!outputs.ok()) return outputs.status().with_context(context);
  node.outputs = std::move(*outputs);
  CA_ASSIGN_OR_RETURN(node.exact, is_exact(node_view));
  if (node.name.empty() && !node.outputs.empty() && node.outputs[0] != kNoId) {
    node.name = graph_.value(node.outputs[0]).name;
  }
  if (op == "aten._assert_async.msg" || op == "aten._assert_async.default") {
    return add_assertion(node);
  }
  graph_.add_node(std::move(node));
  return {};
}

Status GraphReader::add_assertion(const Node& node) {
  const auto* condition = std::get_if<ValueRef>(&node.args[0]);
  if (condition == nullptr) return invalid_program("node '{}': it asserts a constant", node.name);
  std::string message = node.name;
  if (node.args.size() > 1) message = std::get<std::string>(node.args[1]);
  graph_.add_assertion({condition->id, std::move(message)});
  return {};
}

namespace {

// Arguments of higher-order operators have no names: they come in order, and the last list takes
// what is left.
Result<size_t> next_position(const OpSchema& op, size_t& position) {
  const bool last_is_list = !op.args.empty() && op.args.back().type == ArgType::kTensorList;
  if (position + 1 >= op.args.size() && last_is_list) return op.args.size() - 1;
  if (position >= op.args.size()) return invalid_program("too many arguments");
  return position++;
}

Status append_operand(std::optional<Argument>& list, const Argument& operand) {
  const auto* whole = std::get_if<TensorList>(&operand);
  if (!list && (whole != nullptr || is_empty_list(operand))) {
    list = whole != nullptr ? *whole : TensorList{};
    return {};
  }
  if (!list) list = TensorList{};
  auto& items = std::get<TensorList>(*list).items;
  if (const auto* ref = std::get_if<ValueRef>(&operand)) {
    items.emplace_back(ref->id);
  } else if (std::holds_alternative<None>(operand)) {
    items.emplace_back();
  } else {
    return unsupported("{} as operand of a nested graph", argument_kind(operand));
  }
  return {};
}

}  // namespace

Result<std::vector<Argument>> GraphReader::read_node_args(const JsonView& node_view,
                                                          const OpSchema& op) {
  CA_ASSIGN_OR_RETURN(const JsonView inputs_view, node_view.get("inputs"));
  CA_ASSIGN_OR_RETURN(const auto inputs, inputs_view.elements());
  std::vector<std::optional<Argument>> given(op.args.size());
  size_t position = 0;
  for (const JsonView& input : inputs) {
    CA_ASSIGN_OR_RETURN(const JsonView name_view, input.get("name"));
    CA_ASSIGN_OR_RETURN(const std::string_view name, name_view.as_string());
    CA_ASSIGN_OR_RETURN(const JsonView arg_view, input.get("arg"));
    CA_ASSIGN_OR_RETURN(Argument argument, read_argument(arg_view, scope()));
    int index = op.arg_index(name);
    if (name.empty()) {
      auto next = next_position(op, position);
      if (!next.ok()) return at(input, next.status());
      index = static_cast<int>(*next);
      if (op.args[*next].type == ArgType::kTensorList) {
        const Status appended = append_operand(given[*next], argument);
        if (!appended.ok()) return at(input, appended);
        continue;
      }
    }
    if (index < 0) return at(input, invalid_program("the operator has no argument {}", name));
    auto& slot = given[static_cast<size_t>(index)];
    if (slot) return at(input, invalid_program("argument {} is given twice", name));
    auto fitted = fit_argument(argument, op.args[static_cast<size_t>(index)], graph_);
    if (!fitted.ok()) return at(arg_view, fitted.status());
    slot = std::move(*fitted);
  }
  std::vector<Argument> out;
  for (size_t i = 0; i < given.size(); ++i) {
    const ArgSchema& schema = op.args[i];
    if (!given[i] && !schema.has_default) {
      if (schema.type != ArgType::kTensorList || !op.name.starts_with("higher_order.")) {
        return at(node_view, invalid_program("argument {} is missing", schema.name));
      }
      given[i] = TensorList{};
    }
    out.push_back(given[i] ? std::move(*given[i]) : schema.default_value);
  }
  return out;
}

Status GraphReader::define_results(const JsonView& result, bool inside_list,
                                   std::vector<ValueId>& out) {
  CA_ASSIGN_OR_RETURN(const auto member, result.only_member());
  if (member.first == "as_none") {
    out.push_back(kNoId);
    return {};
  }
  if (const auto field = name_field(member.first)) {
    CA_ASSIGN_OR_RETURN(const JsonView name, member.second.get(*field));
    CA_ASSIGN_OR_RETURN(const ValueId id, define(name));
    out.push_back(id);
    return {};
  }
  if (member.first != "as_tensors" || !inside_list) {
    return at(result, unsupported("results of the kind {}", member.first));
  }
  CA_ASSIGN_OR_RETURN(const auto elements, member.second.elements());
  for (const JsonView& element : elements) {
    CA_ASSIGN_OR_RETURN(const JsonView name, element.get("name"));
    CA_ASSIGN_OR_RETURN(const ValueId id, define(name));
    out.push_back(id);
  }
  return {};
}

Result<std::vector<ValueId>> GraphReader::read_node_outputs(const JsonView& node_view,
                                                            const OpSchema& op) {
  CA_ASSIGN_OR_RETURN(const JsonView outputs_view, node_view.get("outputs"));
  CA_ASSIGN_OR_RETURN(const auto outputs, outputs_view.elements());
  std::vector<ValueId> out;
  for (const JsonView& output : outputs) {
    CA_RETURN_IF_ERROR(define_results(output, op.returns_list(), out));
  }
  if (op.returns.empty()) {
    std::erase(out, kNoId);
  }
  if (!op.returns_list() && out.size() != op.returns.size()) {
    return at(outputs_view,
              invalid_program("{} results; the operator has {}", out.size(), op.returns.size()));
  }
  return out;
}

Status GraphReader::read_outputs() {
  CA_ASSIGN_OR_RETURN(const JsonView outputs_view, view_.get("outputs"));
  CA_ASSIGN_OR_RETURN(const auto outputs, outputs_view.elements());
  for (const JsonView& output : outputs) {
    CA_ASSIGN_OR_RETURN(Argument value, read_argument(output, scope()));
    const bool plain =
        std::holds_alternative<ValueRef>(value) || std::holds_alternative<None>(value) ||
        std::holds_alternative<bool>(value) || std::holds_alternative<int64_t>(value) ||
        std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value);
    if (!plain) return at(output, unsupported("{} as output", argument_kind(value)));
    graph_.add_output(std::move(value));
  }
  return {};
}

}  // namespace changeaware
