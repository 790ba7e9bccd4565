#include "normalise/rewriter.h"

#include <algorithm>
#include <cassert>

#include "base/errors.h"

namespace changeaware {

Rewriter::Rewriter(const Graph& from) : from_(from), map_(from.values().size()) {
  for (ValueId id : from.inputs()) {
    const ValueId now = to_.add_value(from.value(id));
    to_.add_input(now);
    map(id, ValueRef{now});
  }
  for (const Constant& constant : from.constants()) {
    Constant copy = constant;
    copy.value = to_.add_value(from.value(constant.value));
    map(constant.value, ValueRef{copy.value});
    to_.add_constant(std::move(copy));
  }
  for (const auto& [name, range] : from.symbols()) to_.set_symbol(name, range);
}

ValueId Rewriter::mapped_value(ValueId old) const {
  const auto* ref = std::get_if<ValueRef>(&map_[old]);
  return ref == nullptr ? kNoId : ref->id;
}

namespace {

// An int list with folded elements; only ints when nothing is left to compute.
Argument fold_ints(const SymIntList& list, const std::vector<Argument>& map) {
  SymIntList out;
  std::vector<int64_t> known;
  for (const auto& item : list.items) {
    if (const auto* number = std::get_if<int64_t>(&item)) {
      known.push_back(*number);
      out.items.push_back(*number);
      continue;
    }
    const Argument& now = map[std::get<ValueRef>(item).id];
    if (const auto* number = std::get_if<int64_t>(&now)) {
      known.push_back(*number);
      out.items.push_back(*number);
    } else {
      out.items.push_back(std::get<ValueRef>(now));
    }
  }
  if (known.size() == out.items.size()) return known;
  return out;
}

}  // namespace

Argument Rewriter::mapped(const Argument& argument) const {
  if (const auto* ref = std::get_if<ValueRef>(&argument)) return map_[ref->id];
  if (const auto* list = std::get_if<SymIntList>(&argument)) return fold_ints(*list, map_);
  return map_values(argument, [&](ValueId id) { return mapped_value(id); });
}

std::vector<Argument> Rewriter::mapped_args(const Node& node) const {
  std::vector<Argument> args;
  args.reserve(node.args.size());
  for (const Argument& a : node.args) args.push_back(mapped(a));
  return args;
}

NodeId Rewriter::copy(const Node& node, std::vector<Argument> args) {
  Node made{node.op, std::move(args), {}, node.name};
  for (ValueId id : node.outputs) {
    made.outputs.push_back(id == kNoId ? kNoId : to_.add_value(from_.value(id)));
    if (id != kNoId) map(id, ValueRef{made.outputs.back()});
  }
  return to_.add_node(std::move(made));
}

Result<ValueId> Rewriter::emit(std::string_view op, std::initializer_list<NamedArgument> args,
                               Value result) {
  return emit(op, std::vector<NamedArgument>(args), std::move(result));
}

Result<ValueId> Rewriter::emit(std::string_view op, const std::vector<NamedArgument>& args,
                               Value result) {
  std::vector<Value> results;
  results.push_back(std::move(result));
  CA_ASSIGN_OR_RETURN(const auto made, emit_all(op, args, std::move(results)));
  return made[0];
}

Result<std::vector<ValueId>> Rewriter::emit_all(std::string_view op,
                                                const std::vector<NamedArgument>& args,
                                                std::vector<Value> results) {
  const OpSchema* schema = find_op(op);
  if (schema == nullptr) return internal_error("the operator table lacks {}", op);
  Node node{schema, {}, {}, results.empty() ? "" : results[0].name};
  std::vector<bool> given(schema->args.size(), false);
  for (const ArgSchema& a : schema->args) {
    node.args.push_back(a.has_default ? a.default_value : Argument(None{}));
  }
  for (const NamedArgument& a : args) {
    const int index = schema->arg_index(a.name);
    if (index < 0) return internal_error("{} has no argument {}", op, a.name);
    node.args[static_cast<size_t>(index)] = a.value;
    given[static_cast<size_t>(index)] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const ArgSchema& a = schema->args[i];
    if (!given[i] && !a.has_default && !a.optional)
      return internal_error("{} needs {}", op, a.name);
  }
  if (results.empty() || schema->returns.size() != results.size()) {
    return internal_error("{} has {} results", op, schema->returns.size());
  }
  for (Value& result : results) node.outputs.push_back(to_.add_value(std::move(result)));
  node.name = to_.value(node.outputs[0]).name;
  std::vector<ValueId> outputs = node.outputs;
  to_.add_node(std::move(node));
  return outputs;
}

Value Rewriter::temporary(std::string_view name, TensorSpec spec) const {
  spec.strides.clear();
  Value value;
  value.name = free_name(name);
  value.spec = std::move(spec);
  return value;
}

std::string Rewriter::free_name(std::string_view name) const {
  std::string candidate(name);
  for (int suffix = 1; from_.find_value(candidate) != kNoId || to_.find_value(candidate) != kNoId;
       ++suffix) {
    candidate = fmt::format("{}_{}", name, suffix);
  }
  return candidate;
}

Result<Argument> Rewriter::sizes_of(ValueId now) {
  const std::vector<Dim> dims = spec(now).dims;
  SymIntList sizes;
  std::vector<int64_t> fixed;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].fixed()) {
      sizes.items.emplace_back(dims[i].size);
      fixed.push_back(dims[i].size);
      continue;
    }
    Value size;
    size.name = free_name("sym_size");
    size.kind = ValueKind::kSymInt;
    size.symbol = dims[i];
    CA_ASSIGN_OR_RETURN(
        const ValueId id,
        emit("aten.sym_size.int", {{"self", ValueRef{now}}, {"dim", static_cast<int64_t>(i)}},
             std::move(size)));
    sizes.items.emplace_back(ValueRef{id});
  }
  if (fixed.size() == dims.size()) return Argument(std::move(fixed));
  return Argument(std::move(sizes));
}

Result<ValueId> Rewriter::cast(ValueId now, DType dtype, std::string_view name) {
  if (spec(now).dtype == dtype) return now;
  TensorSpec result = spec(now);
  result.dtype = dtype;
  return emit("aten.to.dtype", {{"self", ValueRef{now}}, {"dtype", dtype}},
              temporary(name, std::move(result)));
}

Result<Graph> Rewriter::finish() {
  for (const Argument& output : from_.outputs()) to_.add_output(mapped(output));
  for (const Assertion& assertion : from_.assertions()) {
    const ValueId condition = mapped_value(assertion.condition);
    if (condition == kNoId) {
      return internal_error("the condition '{}' of an assertion is gone",
                            from_.value(assertion.condition).name);
    }
    to_.add_assertion({condition, assertion.message});
  }
  return std::move(to_);
}

const Argument& argument(const Node& node, std::string_view name) {
  const int index = node.op->arg_index(name);
  assert(index >= 0);
  return node.args[static_cast<size_t>(index)];
}

std::optional<int64_t> int_argument(const Node& node, std::string_view name) {
  const auto* number = std::get_if<int64_t>(&argument(node, name));
  return number == nullptr ? std::nullopt : std::optional<int64_t>(*number);
}

ValueId tensor_argument(const Node& node, std::string_view name) {
  const auto* ref = std::get_if<ValueRef>(&argument(node, name));
  return ref == nullptr ? kNoId : ref->id;
}

bool is_none(const Argument& value) { return std::holds_alternative<None>(value); }

std::vector<uint32_t> count_uses(const Graph& graph) {
  std::vector<uint32_t> uses(graph.values().size(), 0);
  const auto count = [&](ValueId id) { ++uses[id]; };
  for (const Node& node : graph.nodes()) for_each_input(node, count);
  for (const Argument& output : graph.outputs()) for_each_value(output, count);
  for (const Assertion& assertion : graph.assertions()) count(assertion.condition);
  return uses;
}

}  // namespace changeaware
