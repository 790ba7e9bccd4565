// Graph: one program or region in static single assignment form.
//
// Invariants (verify() in verifier.h checks them):
//   - nodes are in topological order: a node reads only inputs, constants and earlier outputs;
//   - every value has exactly one definition;
//   - node.args.size() == node.op->args.size(): one Argument per schema argument, in schema order,
//     defaults filled in;
//   - outputs of a node: one per schema return, or the elements of the single list return.
//     kNoId marks a result that nobody named.
// Thread safety: const methods may be called concurrently.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "changeaware/tensor.h"
#include "graph/argument.h"
#include "graph/op_schema.h"

namespace changeaware {

// A size: a number, or a symbolic expression as SymPy prints it ("s0", "2*s0 + 1").
struct Dim {
  int64_t size = 0;        // the number; for an expression its value at export (a hint)
  std::string expression;  // empty = fixed

  bool fixed() const { return expression.empty(); }
  bool operator==(const Dim&) const = default;
};

struct TensorSpec {
  DType dtype = DType::kFloat32;
  std::vector<Dim> dims;
  std::vector<Dim> strides;  // as traced, in elements; empty = contiguous
  Dim storage_offset;        // as traced, in elements

  bool fixed() const;
  // Sizes, hints where symbolic.
  Shape hint_shape() const;
  // "f32[1, s0]" in the text form.
};

enum class ValueKind : uint8_t { kTensor, kSymInt, kSymFloat, kSymBool };

struct Value {
  std::string name;  // unique in the graph
  ValueKind kind = ValueKind::kTensor;
  TensorSpec spec;  // kTensor
  Dim symbol;       // kSymInt: expression and hint; others: expression only
};

struct Node {
  const OpSchema* op = nullptr;  // owned by the op table
  std::vector<Argument> args;
  std::vector<ValueId> outputs;
  std::string name;    // as exported; for messages
  bool exact = false;  // runs on the exact engine: chosen at compile time, part of the package
};

enum class ConstantKind : uint8_t { kParameter, kBuffer, kNonPersistentBuffer, kLifted };

struct Constant {
  ValueId value = kNoId;
  std::string fqn;  // "image_encoder.patch_embed.weight"; unique in the graph
  ConstantKind kind = ConstantKind::kParameter;
  Tensor tensor;  // may be a strided view of storage shared with others
};

// What must hold for the inputs, or the program fails: `condition` has one element; zero = fails.
struct Assertion {
  ValueId condition = kNoId;
  std::string message;
};

// Inclusive bounds of a symbol; nothing = unbounded.
struct SymbolRange {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  bool operator==(const SymbolRange&) const = default;
};

class Graph {
 public:
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<Constant>& constants() const { return constants_; }
  // ValueRef, or a value that was fixed at export: None, bool, int64_t, double, std::string.
  const std::vector<Argument>& outputs() const { return outputs_; }
  const std::vector<Assertion>& assertions() const { return assertions_; }
  const std::map<std::string, SymbolRange>& symbols() const { return symbols_; }

  const Value& value(ValueId id) const { return values_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  // By name; kNoId when there is none. O(log n).
  ValueId find_value(const std::string& name) const;
  // The constant that defines `id`, or nullptr.
  const Constant* constant_of(ValueId id) const;

  // Building. A name that is taken gets a numeric suffix.
  ValueId add_value(Value value);
  void add_input(ValueId id) { inputs_.push_back(id); }
  void add_constant(Constant constant);
  NodeId add_node(Node node);
  void add_output(Argument output) { outputs_.push_back(std::move(output)); }
  void add_assertion(Assertion assertion) { assertions_.push_back(std::move(assertion)); }
  void set_symbol(std::string name, SymbolRange range) { symbols_[std::move(name)] = range; }
  Value& mutable_value(ValueId id) { return values_[id]; }
  Node& mutable_node(NodeId id) { return nodes_[id]; }
  // REQUIRES: the tensor has the dtype and shape of constant `index`.
  void set_constant_tensor(size_t index, Tensor tensor) {
    constants_[index].tensor = std::move(tensor);
  }

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<Constant> constants_;
  std::map<ValueId, size_t> constant_index_;
  std::vector<Argument> outputs_;
  std::vector<Assertion> assertions_;
  std::map<std::string, SymbolRange> symbols_;
  std::map<std::string, ValueId> names_;
};

// Calls `visit(ValueId)` for each value that the argument reads, in order, with repetition.
template <class Visit>
void for_each_value(const Argument& argument, Visit&& visit) {
  if (const auto* ref = std::get_if<ValueRef>(&argument)) {
    visit(ref->id);
  } else if (const auto* list = std::get_if<TensorList>(&argument)) {
    for (const auto& item : list->items) {
      if (item) visit(*item);
    }
  } else if (const auto* ints = std::get_if<SymIntList>(&argument)) {
    for (const auto& item : ints->items) {
      if (const auto* r = std::get_if<ValueRef>(&item)) visit(r->id);
    }
  }
}

template <class Visit>
void for_each_input(const Node& node, Visit&& visit) {
  for (const Argument& argument : node.args) for_each_value(argument, visit);
}

// The same argument with every value id replaced by `map(id)`.
template <class Map>
Argument map_values(const Argument& argument, Map&& map) {
  Argument out = argument;
  if (auto* ref = std::get_if<ValueRef>(&out)) {
    ref->id = map(ref->id);
  } else if (auto* list = std::get_if<TensorList>(&out)) {
    for (auto& item : list->items) {
      if (item) item = map(*item);
    }
  } else if (auto* ints = std::get_if<SymIntList>(&out)) {
    for (auto& item : ints->items) {
      if (auto* r = std::get_if<ValueRef>(&item)) r->id = map(r->id);
    }
  }
  return out;
}

}  // namespace changeaware
