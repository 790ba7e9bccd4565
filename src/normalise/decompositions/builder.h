// Builder: what one decomposition emits in place of one node.
//
// The first error is kept; after it every call is a no-op, so that a decomposition reads like the
// formula it implements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "normalise/rewriter.h"

namespace changeaware {

class Builder {
 public:
  // `uses` counts the readers of each old value. All references must outlive the builder.
  Builder(Rewriter& rewriter, const Node& node, const std::vector<uint32_t>& uses)
      : rewriter_(rewriter), node_(node), uses_(uses) {}

  const Node& node() const { return node_; }
  // Arguments of the node, in the new graph.
  Argument arg(std::string_view name) const { return rewriter_.mapped(argument(node_, name)); }
  // The tensor argument; an error when it is none.
  ValueId tensor(std::string_view name);
  // The number argument as a double, nothing for None or a run-time number.
  std::optional<double> number(std::string_view name) const;
  const TensorSpec& spec(ValueId now) const { return rewriter_.spec(now); }
  // Of the node's result.
  TensorSpec result_spec(size_t i = 0) const;
  bool result_used(size_t i) const {
    return i < node_.outputs.size() && node_.outputs[i] != kNoId && uses_[node_.outputs[i]] > 0;
  }

  // A value of its own.
  ValueId op(std::string_view name, std::vector<NamedArgument> args, TensorSpec spec);
  // All results of an operator that has several.
  std::vector<ValueId> ops(std::string_view name, std::vector<NamedArgument> args,
                           std::vector<TensorSpec> specs);
  // The same dtype as `like` with these sizes, or the same sizes with this dtype.
  TensorSpec with_dims(ValueId like, std::vector<Dim> dims) const;
  TensorSpec with_dtype(ValueId like, DType dtype) const;
  // Elementwise operators of one or two tensors that share a dtype; sizes broadcast.
  ValueId unary(std::string_view name, ValueId self);
  ValueId binary(std::string_view name, ValueId self, ValueId other);
  ValueId binary(std::string_view name, ValueId self, Argument other);
  ValueId compare(std::string_view name, ValueId self, Argument other);
  ValueId where(ValueId condition, ValueId self, ValueId other);
  // A tensor without dimensions.
  ValueId scalar(Argument value, DType dtype);
  // A constant of the decomposition's own.
  ValueId constant(std::string_view name, Tensor tensor);
  ValueId cast(ValueId self, DType dtype);
  // The contents, where `now` is a constant; else nullptr.
  const Tensor* constant_of(ValueId now) const;
  // `spec`'s sizes as an argument, read from `from` where they are symbolic.
  Argument sizes(ValueId from);

  // Makes the node's first result, by an operator or by a value that is there already.
  void result(std::string_view name, std::vector<NamedArgument> args);
  void result(ValueId now);
  // Makes the node's result `i`.
  void further_result(size_t i, ValueId now);
  void fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // This call is not covered. In decompose() the node stays as it is; in define() it is
  // Unsupported: "node 'n' (op): …".
  void refuse(std::string_view why);
  const Status& status() const { return status_; }

 private:
  ValueId take(Result<ValueId> made);
  // "node_sort" for "aten.sort.default".
  std::string label(std::string_view op) const;

  Rewriter& rewriter_;
  const Node& node_;
  const std::vector<uint32_t>& uses_;
  Status status_;
};

std::vector<Dim> broadcast_dims(const std::vector<Dim>& a, const std::vector<Dim>& b);
inline Argument ref(ValueId id) { return ValueRef{id}; }

}  // namespace changeaware
