#include "engine/mixed/body.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "graph/subgraph.h"

namespace changeaware::mixed {
namespace {

bool holds(const Tensor& condition) {
  const Tensor dense = condition.contiguous();
  const std::byte* data = dense.data();
  const size_t bytes = dense.size_bytes();
  return std::any_of(data, data + bytes, [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace

Tensor number_tensor(const Argument& argument) {
  if (const auto* i = std::get_if<int64_t>(&argument)) {
    return Tensor::of<int64_t>(DType::kInt64, {}, {*i});
  }
  if (const auto* d = std::get_if<double>(&argument)) {
    return Tensor::of<double>(DType::kFloat64, {}, {*d});
  }
  if (const auto* b = std::get_if<bool>(&argument)) {
    return Tensor::of<uint8_t>(DType::kBool, {}, {static_cast<uint8_t>(*b)});
  }
  return {};
}

Status copy_to_output(const Tensor& source, const std::string& name, Tensor& output) {
  if (!output.defined()) {
    output = source.clone();
    return {};
  }
  if (output.shape() != source.shape() || output.dtype() != source.dtype() ||
      !output.is_contiguous()) {
    return invalid_argument("output '{}' is {}{}, and the tensor given for it is {}{}", name,
                            dtype_name(source.dtype()), shape_to_string(source.shape()),
                            dtype_name(output.dtype()), shape_to_string(output.shape()));
  }
  const Tensor dense = source.contiguous();
  std::memmove(output.mutable_data(), dense.data(), dense.size_bytes());
  return {};
}

Status give_to_output(Tensor source, const std::string& name, Tensor& output) {
  if (output.defined()) return copy_to_output(source, name, output);
  output = std::move(source);
  return {};
}

Result<Body> Body::compile(const Engine& engine, const Graph& graph, const std::string& identity) {
  Body body;
  body.inputs_ = graph.inputs().size();
  std::vector<ValueId> outputs;
  for (const Argument& output : graph.outputs()) {
    if (const auto* ref = std::get_if<ValueRef>(&output)) {
      body.results_.push_back({outputs.size(), {}});
      outputs.push_back(ref->id);
      continue;
    }
    Tensor fixed = number_tensor(output);
    if (!fixed.defined()) return unsupported("a result of a nested graph is not a value");
    body.results_.push_back({0, std::move(fixed)});
  }
  for (const Assertion& assertion : graph.assertions()) {
    body.checks_.push_back({outputs.size(), assertion.message});
    outputs.push_back(assertion.condition);
  }
  body.executed_ = outputs.size();
  if (outputs.empty()) return body;
  std::vector<NodeId> nodes(graph.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  CA_ASSIGN_OR_RETURN(const Graph callable,
                      extract_subgraph(graph, nodes, graph.inputs(), outputs));
  CA_ASSIGN_OR_RETURN(body.executable_, identity.empty()
                                            ? engine.compile(callable)
                                            : engine.compile_identified(callable, identity));
  return body;
}

Status Body::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
  std::vector<Tensor> executed(executed_);
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].fixed.defined()) executed[results_[i].index] = std::move(outputs[i]);
  }
  if (executable_ != nullptr) CA_RETURN_IF_ERROR(executable_->run(inputs, executed));
  for (const Check& check : checks_) {
    if (!holds(executed[check.index])) return failed_assertion("{}", check.message);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    const ResultSource& result = results_[i];
    if (result.fixed.defined()) {
      CA_RETURN_IF_ERROR(copy_to_output(result.fixed, "of a nested graph", outputs[i]));
    } else {
      outputs[i] = std::move(executed[result.index]);
    }
  }
  return {};
}

}  // namespace changeaware::mixed
