#include "analysis/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace changeaware {
namespace {

// Of what only a run can tell, where the export had no hint.
constexpr double kUnknownSize = 64;

double size_of(const Dim& dim) {
  return dim.size == 0 && !dim.fixed() ? kUnknownSize : static_cast<double>(dim.size);
}

double elements(const Graph& graph, ValueId id) {
  double n = 1;
  for (const Dim& d : graph.value(id).spec.dims) n *= size_of(d);
  return n;
}

// Elements of argument `index` when it is a tensor, else 0; and one of its sizes from the end.
double argument_elements(const Graph& graph, const Node& node, size_t index) {
  const auto* ref = index < node.args.size() ? std::get_if<ValueRef>(&node.args[index]) : nullptr;
  return ref == nullptr ? 0 : elements(graph, ref->id);
}
double argument_size(const Graph& graph, const Node& node, size_t index, size_t from_end) {
  const auto* ref = index < node.args.size() ? std::get_if<ValueRef>(&node.args[index]) : nullptr;
  if (ref == nullptr) return 1;
  const auto& dims = graph.value(ref->id).spec.dims;
  return from_end < dims.size() ? size_of(dims[dims.size() - 1 - from_end]) : 1;
}

using Flops = double (*)(const Graph&, const Node&, double outputs);

// out[…, m, n] = sum over k; k is the last size of the first factor.
template <size_t kFactor>
double contraction(const Graph& g, const Node& node, double outputs) {
  return 2 * outputs * argument_size(g, node, kFactor, 0);
}
// weight[out, in / groups, …]: each output sums over everything but the first dimension.
double convolution(const Graph& g, const Node& node, double outputs) {
  const auto* ref = std::get_if<ValueRef>(&node.args[1]);
  const double out_channels = ref ? static_cast<double>(g.value(ref->id).spec.dims.at(0).size) : 1;
  return 2 * outputs * argument_elements(g, node, 1) / std::max(out_channels, 1.0);
}
// Transposed: every input element meets everything but the first dimension of weight[in, …].
double transposed_convolution(const Graph& g, const Node& node, double) {
  const auto* ref = std::get_if<ValueRef>(&node.args[1]);
  const double in_channels = ref ? static_cast<double>(g.value(ref->id).spec.dims.at(0).size) : 1;
  return 2 * argument_elements(g, node, 0) * argument_elements(g, node, 1) /
         std::max(in_channels, 1.0);
}
// Every step of every sequence meets every weight once.
double recurrent(const Graph& g, const Node& node, double) {
  double weights = 0;
  const int params = node.op->arg_index("params");
  if (params >= 0) {
    for_each_value(node.args[static_cast<size_t>(params)],
                   [&](ValueId id) { weights += elements(g, id); });
  }
  const double features = std::max(argument_size(g, node, 0, 0), 1.0);
  return 2 * weights * argument_elements(g, node, 0) / features;
}
// For a product of matrices m x k and k x n the root is m * k * n; in general the geometric mean of
// what two operands and the result would allow.
double einsum(const Graph& g, const Node& node, double outputs) {
  double product = std::max(outputs, 1.0);
  for_each_input(node, [&](ValueId id) { product *= std::max(elements(g, id), 1.0); });
  return 2 * std::sqrt(product);
}
// softmax(q k^T) v: two contractions over the same pair of lengths.
double attention(const Graph& g, const Node& node, double outputs) {
  return 4 * outputs * argument_size(g, node, 1, 1);
}

constexpr std::array<std::pair<std::string_view, Flops>, 19> kFlops = {{
    {"aten.linear.default", contraction<0>},
    {"aten.matmul.default", contraction<0>},
    {"aten.mm.default", contraction<0>},
    {"aten.bmm.default", contraction<0>},
    {"aten.addmm.default", contraction<1>},
    {"aten.baddbmm.default", contraction<1>},
    {"aten.conv1d.default", convolution},
    {"aten.conv2d.default", convolution},
    {"aten.conv3d.default", convolution},
    {"aten.convolution.default", convolution},
    {"aten.conv_transpose1d.default", transposed_convolution},
    {"aten.conv_transpose2d.input", transposed_convolution},
    {"aten.conv_transpose3d.input", transposed_convolution},
    {"aten.scaled_dot_product_attention.default", attention},
    {"aten.einsum.default", einsum},
    {"aten.lstm.input", recurrent},
    {"aten.gru.input", recurrent},
    {"aten.rnn_tanh.input", recurrent},
    {"aten.rnn_relu.input", recurrent},
}};

}  // namespace

uint64_t value_bytes(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind != ValueKind::kTensor) return sizeof(int64_t);
  return static_cast<uint64_t>(elements(graph, id)) * dtype_bytes(value.spec.dtype);
}

bool is_contraction(const OpSchema& op) {
  if (op.ns() == "higher_order") return true;  // their bodies may hold one
  return std::any_of(kFlops.begin(), kFlops.end(),
                     [&](const auto& line) { return line.first == op.name; });
}

namespace {

// How often a loop runs its body is known to a run alone.
constexpr double kUnknownTrips = 8;

NodeCost cost_of_bodies(const Node& node) {
  NodeCost cost;
  const double times = node.op->base_name() == "cond" ? 1 : kUnknownTrips;
  for (const Argument& argument : node.args) {
    const auto* body = std::get_if<std::shared_ptr<const Graph>>(&argument);
    if (body == nullptr || *body == nullptr) continue;
    for (const Node& inner : (*body)->nodes()) {
      const NodeCost one = estimate_cost(**body, inner);
      cost.flops += times * one.flops;
      cost.moved_bytes += times * one.moved_bytes;
    }
  }
  return cost;
}

}  // namespace

NodeCost estimate_cost(const Graph& graph, const Node& node) {
  if (node.op->ns() == "higher_order") return cost_of_bodies(node);
  NodeCost cost;
  double outputs = 0;
  for (ValueId id : node.outputs) {
    if (id == kNoId) continue;
    outputs += elements(graph, id);
    cost.moved_bytes += static_cast<double>(value_bytes(graph, id));
  }
  cost.flops = outputs;
  // What is read costs no more than what a dense pass over the results would: an embedding table
  // is not read whole.
  for_each_input(node, [&](ValueId id) {
    const double limit = 16 * cost.moved_bytes;
    cost.moved_bytes += std::min(static_cast<double>(value_bytes(graph, id)), std::max(limit, 1.0));
  });
  for (const auto& [name, flops] : kFlops) {
    if (name == node.op->name) cost.flops = flops(graph, node, outputs);
  }
  return cost;
}

double nominal_microseconds(const NodeCost& cost) {
  constexpr double kFlopsPerMicrosecond = 100e3;
  constexpr double kBytesPerMicrosecond = 10e3;
  return std::max(cost.flops / kFlopsPerMicrosecond, cost.moved_bytes / kBytesPerMicrosecond);
}

}  // namespace changeaware
