// Rewriter: builds a new graph from an old one, value by value.
//
// Inputs, constants and symbols of the old graph come along at construction, with their names and
// order. A value of the old graph stands for an Argument of the new one: mostly a ValueRef, or a
// number when it was folded.
// Lifetime: the old graph must outlive the rewriter. Thread safety: none.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace changeaware {

struct NamedArgument {
  std::string_view name;
  Argument value;
};

class Rewriter {
 public:
  explicit Rewriter(const Graph& from);

  const Graph& from() const { return from_; }
  Graph& to() { return to_; }
  const Graph& to() const { return to_; }

  // What the old value stands for. REQUIRES: it was mapped.
  const Argument& mapped(ValueId old) const { return map_[old]; }
  // The same, where it has to be a value; kNoId when it is a number or unmapped.
  ValueId mapped_value(ValueId old) const;
  void map(ValueId old, Argument now) { map_[old] = std::move(now); }
  // Every old value in `argument` replaced. An int list whose elements are all known becomes ints.
  Argument mapped(const Argument& argument) const;
  std::vector<Argument> mapped_args(const Node& node) const;

  // Adds the node with `args` (of the new graph); its results keep names and specs and are mapped.
  NodeId copy(const Node& node, std::vector<Argument> args);
  NodeId copy(const Node& node) { return copy(node, mapped_args(node)); }

  // Adds a node of `op` that makes `result`; arguments that are not named take their defaults.
  // Internal when the table lacks `op` or an argument without a default is missing.
  Result<ValueId> emit(std::string_view op, std::initializer_list<NamedArgument> args,
                       Value result);
  Result<ValueId> emit(std::string_view op, const std::vector<NamedArgument>& args, Value result);
  // The same of an operator with several results.
  Result<std::vector<ValueId>> emit_all(std::string_view op, const std::vector<NamedArgument>& args,
                                        std::vector<Value> results);

  // A result that replaces the old value: same name, same spec.
  Value like(ValueId old) const { return from_.value(old); }
  // A result of its own, with a name that no value of the old graph has.
  Value temporary(std::string_view name, TensorSpec spec) const;
  // `name`, or `name` with a suffix, such that neither graph has it.
  std::string free_name(std::string_view name) const;

  const TensorSpec& spec(ValueId now) const { return to_.value(now).spec; }
  // `spec`'s sizes as an int[] argument; symbolic ones are read from `now`, which has these sizes.
  Result<Argument> sizes_of(ValueId now);
  // `now` with another dtype; `now` itself when it has it already.
  Result<ValueId> cast(ValueId now, DType dtype, std::string_view name);

  // Maps outputs and assertions and gives the graph away. Internal when an assertion's condition
  // was folded to a number.
  Result<Graph> finish();

 private:
  const Graph& from_;
  Graph to_;
  std::vector<Argument> map_;
};

// Readable access to a node's arguments by schema name. REQUIRES: the schema has the argument.
const Argument& argument(const Node& node, std::string_view name);
// The int in `node`'s argument, or nothing when it is computed at run time or None.
std::optional<int64_t> int_argument(const Node& node, std::string_view name);
// The tensor in `node`'s argument; kNoId when it is None.
ValueId tensor_argument(const Node& node, std::string_view name);
bool is_none(const Argument& value);

// How often each value is read by nodes, outputs and assertions.
std::vector<uint32_t> count_uses(const Graph& graph);

}  // namespace changeaware
