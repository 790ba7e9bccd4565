// Translation: our own conversion of one operator to OpenVINO operations.
//
// One table lists them all; the converter and the conformance test both read it. An operator that
// is not in the table goes to the frontend's TorchScript conversion. A translation is there because
// OpenVINO's own gives other values than PyTorch (docs/engine.md says which), or has none.
// Errors: a translation throws Refusal for arguments it does not cover; the converter turns that,
// and OpenVINO's exceptions, into a Status that names node and operator.
// Thread safety: translations are pure functions of their context.
#pragma once

#include <exception>
#include <map>
#include <openvino/core/node_vector.hpp>
#include <openvino/openvino.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "graph/graph.h"

namespace changeaware::ovn {

using Output = ov::Output<ov::Node>;

class Refusal : public std::exception {
 public:
  explicit Refusal(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

// A node of the graph with its tensor arguments already converted. Arguments are asked for by the
// names of the schema; a name that the schema lacks is a bug and throws std::logic_error.
class OpContext {
 public:
  OpContext(const Graph& graph, const Node& node, std::map<ValueId, Output> converted)
      : graph_(graph), node_(node), converted_(std::move(converted)) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  const Argument& argument(std::string_view name) const;
  bool has(std::string_view name) const;  // in the schema, and not None
  // A tensor or symbolic number; a number becomes a constant of rank 0 (int64 or float32).
  Output tensor(std::string_view name) const;
  std::vector<Output> tensors(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;  // of an int, float or bool
  bool flag(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;  // one int stands for a list of one
  std::string text(std::string_view name) const;

  const TensorSpec& spec_of(std::string_view name) const;  // REQUIRES: a tensor argument
  bool is_tensor(std::string_view name) const;
  const TensorSpec& result(size_t index = 0) const;
  ov::element::Type result_type(size_t index = 0) const;
  // Refuses when a dimension is symbolic.
  Shape fixed_shape_of(std::string_view name) const;
  Shape fixed_result_shape(size_t index = 0) const;

 private:
  const Graph& graph_;
  const Node& node_;
  std::map<ValueId, Output> converted_;
};

struct Translation {
  std::string_view op;  // "aten.var.correction"
  ov::OutputVector (*convert)(const OpContext&);
  // Whether this node needs it; null = every node of the operator.
  bool (*applies)(const Graph&, const Node&) = nullptr;
};

// All translations, a family after the other.
const std::vector<Translation>& translations();
// The translation that this node needs, or nullptr.
const Translation* find_translation(const Graph& graph, const Node& node);

// One table per file.
std::span<const Translation> integer_division_translations();
std::span<const Translation> statistics_translations();
std::span<const Translation> scatter_translations();
std::span<const Translation> attention_translations();
std::span<const Translation> softmax_translations();
std::span<const Translation> cast_translations();
std::span<const Translation> pointwise_translations();
std::span<const Translation> rank_zero_translations();
std::span<const Translation> factory_translations();
std::span<const Translation> norm_translations();
std::span<const Translation> comparison_translations();
std::span<const Translation> extrema_translations();
std::span<const Translation> reduction_translations();
std::span<const Translation> index_put_translations();
std::span<const Translation> symbolic_translations();
std::span<const Translation> enlargement_translations();
std::span<const Translation> convolution_translations();
std::span<const Translation> pooling_translations();
std::span<const Translation> resizing_translations();
std::span<const Translation> gather_translations();
std::span<const Translation> running_translations();
std::span<const Translation> scatter_reduce_translations();
std::span<const Translation> mask_translations();
std::span<const Translation> integer_form_translations();
std::span<const Translation> shape_translations();

}  // namespace changeaware::ovn
