#include "engine/openvino/executable.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <openvino/op/parameter.hpp>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/element_types.h"
#include "engine/openvino/frontend_errors.h"
#include "graph/expression.h"
#include "graph/text.h"

namespace changeaware::ovn {
namespace {

std::string describe(DType dtype, std::span<const int64_t> shape) {
  return fmt::format("{}{}", dtype_name(dtype), shape_to_string(shape));
}

std::string describe(const PortSpec& port) {
  std::vector<std::string> dims;
  for (const Dim& d : port.dims) dims.push_back(dim_text(d));
  return fmt::format("{}[{}]", dtype_name(port.dtype), fmt::join(dims, ", "));
}

bool fits(const PortSpec& port, const Tensor& t) {
  if (t.dtype() != port.dtype || t.rank() != port.dims.size()) return false;
  for (size_t d = 0; d < port.dims.size(); ++d) {
    if (port.dims[d].fixed() && t.shape()[d] != port.dims[d].size) return false;
  }
  return true;
}

ov::Tensor wrap(ov::element::Type type, const Tensor& t) {
  return ov::Tensor(type, ov::Shape(t.shape().begin(), t.shape().end()), t.mutable_data());
}

Status copy_into(const PortSpec& port, Tensor& out, const Tensor& source) {
  if (!out.defined()) {
    out = source.clone();
    return {};
  }
  if (out.shape() != source.shape() || out.dtype() != source.dtype() || !out.is_contiguous()) {
    return invalid_argument("output '{}' is {}, and the tensor given for it is {}", port.name,
                            describe(source.dtype(), source.shape()),
                            describe(out.dtype(), out.shape()));
  }
  const Tensor dense = source.contiguous();
  std::memmove(out.mutable_data(), dense.data(), dense.size_bytes());
  return {};
}

Tensor view_of(const ov::Tensor& t, DType dtype) {
  const ov::Shape shape = t.get_shape();
  return Tensor::borrow(dtype, Shape(shape.begin(), shape.end()), {}, t.data(), nullptr);
}

// Per result: the plug-in left nothing between an input and it. Memory that is bound to such a
// result is never written; what the request gives for it is the input itself.
std::vector<bool> results_that_are_inputs(const ov::CompiledModel& model) {
  const auto runtime = model.get_runtime_model();
  std::map<std::string, bool> by_name;
  for (const auto& result : runtime->get_results()) {
    const auto producer = result->input_value(0).get_node_shared_ptr();
    by_name[result->get_friendly_name()] = ov::is_type<ov::op::v0::Parameter>(producer);
  }
  std::vector<bool> out;
  for (const auto& port : model.outputs()) {
    const auto it = by_name.find(port.get_node()->get_friendly_name());
    // One that the runtime graph does not show is not trusted either.
    out.push_back(it == by_name.end() || it->second);
  }
  return out;
}

}  // namespace

OpenVinoExecutable::OpenVinoExecutable(ExecutableParts parts) : parts_(std::move(parts)) {
  if (parts_.results == 0) return;
  const auto& model_inputs = parts_.model.inputs();
  for (size_t i = 0; i < parts_.inputs.size(); ++i) {
    const int port = parts_.input_ports[i];
    input_ports_.push_back(port < 0 ? ov::Output<const ov::Node>() : model_inputs.at(port));
    input_types_.push_back(element_type(parts_.inputs[i].dtype).value_or(ov::element::dynamic));
  }
  for (const auto& port : parts_.model.outputs()) {
    results_.push_back({port, port.get_element_type(), -1, false});
  }
  const std::vector<bool> passed_through = results_that_are_inputs(parts_.model);
  for (size_t o = 0; o < parts_.sources.size(); ++o) {
    const OutputSource& source = parts_.sources[o];
    if (source.kind != OutputSource::Kind::kResult) continue;
    Result& result = results_.at(source.index);
    if (result.output >= 0) continue;
    result.output = static_cast<int>(o);
    const ov::PartialShape& shape = result.port.get_partial_shape();
    result.bindable = parts_.outputs[o].fixed && shape.is_static() &&
                      ov::shape_size(shape.to_shape()) > 0 && !passed_through[source.index];
  }
  for (const PortSpec& port : parts_.inputs) has_symbols_ |= !port.fixed;
}

Status OpenVinoExecutable::check_inputs(std::span<const Tensor> inputs) const {
  if (inputs.size() != parts_.inputs.size()) {
    return invalid_argument("{} inputs given, {} expected", inputs.size(), parts_.inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortSpec& port = parts_.inputs[i];
    if (!inputs[i].defined()) return invalid_argument("input '{}' has no value", port.name);
    if (!fits(port, inputs[i])) {
      return invalid_argument("input '{}' must be {}, not {}", port.name, describe(port),
                              describe(inputs[i].dtype(), inputs[i].shape()));
    }
  }
  if (!has_symbols_) return {};
  std::map<std::string, int64_t> sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t d = 0; d < parts_.inputs[i].dims.size(); ++d) {
      const std::string& symbol = parts_.inputs[i].dims[d].expression;
      if (!is_symbol(symbol)) continue;
      const auto [it, fresh] = sizes.emplace(symbol, inputs[i].shape()[d]);
      if (!fresh && it->second != inputs[i].shape()[d]) {
        return invalid_argument("input '{}': dimension {} is {}, but {} is {}",
                                parts_.inputs[i].name, d, inputs[i].shape()[d], symbol, it->second);
      }
    }
  }
  return {};
}

ov::InferRequest OpenVinoExecutable::acquire() const {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      ov::InferRequest request = std::move(idle_.back());
      idle_.pop_back();
      return request;
    }
  }
  return const_cast<ov::CompiledModel&>(parts_.model).create_infer_request();
}

void OpenVinoExecutable::release(ov::InferRequest request) const {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(request));
}

Status OpenVinoExecutable::bind_outputs(ov::InferRequest& request,
                                        std::span<Tensor> outputs) const {
  for (const Result& result : results_) {
    if (!result.bindable) continue;
    const PortSpec& port = parts_.outputs[static_cast<size_t>(result.output)];
    Tensor& out = outputs[static_cast<size_t>(result.output)];
    if (!out.defined()) {
      const ov::Shape& shape = result.port.get_shape();
      out = Tensor::empty(port.dtype, Shape(shape.begin(), shape.end()));
    } else if (!fits(port, out) || !out.is_contiguous()) {
      return invalid_argument("output '{}' must be {} and contiguous, not {}", port.name,
                              describe(port), describe(out.dtype(), out.shape()));
    }
    request.set_tensor(result.port, wrap(result.type, out));
  }
  return {};
}

Status OpenVinoExecutable::collect_results(ov::InferRequest& request,
                                           std::span<Tensor> outputs) const {
  for (const Result& result : results_) {
    if (result.output < 0 || result.bindable) continue;
    const auto o = static_cast<size_t>(result.output);
    const Tensor got = view_of(request.get_tensor(result.port), parts_.outputs[o].dtype);
    if (!fits(parts_.outputs[o], got)) {
      return internal_error("output '{}' came out as {}, not {}", parts_.outputs[o].name,
                            describe(got.dtype(), got.shape()), describe(parts_.outputs[o]));
    }
    CA_RETURN_IF_ERROR(copy_into(parts_.outputs[o], outputs[o], got));
  }
  return {};
}

Status OpenVinoExecutable::copy_others(std::span<const Tensor> inputs,
                                       std::span<Tensor> outputs) const {
  for (size_t o = 0; o < parts_.sources.size(); ++o) {
    const OutputSource& source = parts_.sources[o];
    const Tensor* from = nullptr;
    if (source.kind == OutputSource::Kind::kInput) from = &inputs[source.index];
    if (source.kind == OutputSource::Kind::kConstant) from = &source.constant;
    if (source.kind == OutputSource::Kind::kResult) {
      const auto first = static_cast<size_t>(results_[source.index].output);
      if (first != o) from = &outputs[first];  // the same value once more
    }
    if (from != nullptr) CA_RETURN_IF_ERROR(copy_into(parts_.outputs[o], outputs[o], *from));
  }
  return {};
}

int64_t OpenVinoExecutable::extent_of(const BoundGuard& guard, ov::InferRequest* request) const {
  if (!guard.extent_is_result) return guard.extent;
  return *request->get_tensor(results_[guard.extent_index].port).data<const int64_t>();
}

Status OpenVinoExecutable::check_input_guards(std::span<const Tensor> inputs) const {
  for (const BoundGuard& guard : parts_.guards) {
    if (!guard.from_input || guard.extent_is_result) continue;
    CA_RETURN_IF_ERROR(check_guard(guard.guard, inputs[guard.index].contiguous(), guard.extent));
  }
  return {};
}

Status OpenVinoExecutable::check_result_guards(ov::InferRequest& request,
                                               std::span<const Tensor> inputs) const {
  for (const BoundGuard& guard : parts_.guards) {
    if (guard.from_input && !guard.extent_is_result) continue;
    const int64_t extent = extent_of(guard, &request);
    if (guard.from_input) {
      CA_RETURN_IF_ERROR(check_guard(guard.guard, inputs[guard.index].contiguous(), extent));
      continue;
    }
    const ov::Tensor values = request.get_tensor(results_[guard.index].port);
    const DType dtype = values.get_element_type() == ov::element::i32   ? DType::kInt32
                        : values.get_element_type() == ov::element::i64 ? DType::kInt64
                        : values.get_element_type() == ov::element::i16 ? DType::kInt16
                        : values.get_element_type() == ov::element::i8  ? DType::kInt8
                                                                        : DType::kUInt8;
    CA_RETURN_IF_ERROR(check_guard(guard.guard, view_of(values, dtype), extent));
  }
  return {};
}

Status OpenVinoExecutable::run_bound(ov::InferRequest& request, std::span<const Tensor> inputs,
                                     std::span<Tensor> outputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (parts_.input_ports[i] < 0) continue;
    request.set_tensor(input_ports_[i], wrap(input_types_[i], inputs[i]));
  }
  CA_RETURN_IF_ERROR(bind_outputs(request, outputs));
  request.infer();
  CA_RETURN_IF_ERROR(check_result_guards(request, inputs));
  return collect_results(request, outputs);
}

Status OpenVinoExecutable::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
  CA_RETURN_IF_ERROR(check_inputs(inputs));
  if (outputs.size() != parts_.outputs.size()) {
    return invalid_argument("{} outputs given, {} expected", outputs.size(), parts_.outputs.size());
  }
  try {
    std::vector<Tensor> dense;
    if (!std::all_of(inputs.begin(), inputs.end(),
                     [](const Tensor& t) { return t.is_contiguous(); })) {
      for (const Tensor& t : inputs) dense.push_back(t.contiguous());
      inputs = dense;
    }
    CA_RETURN_IF_ERROR(check_input_guards(inputs));
    if (parts_.results > 0) {
      ov::InferRequest request = acquire();
      const Status status = run_bound(request, inputs, outputs);
      release(std::move(request));
      CA_RETURN_IF_ERROR(status);
    }
    return copy_others(inputs, outputs);
  } catch (const std::exception& e) {
    return status_of_thrown(e);
  } catch (...) {
    return internal_error("OpenVINO threw something that is no exception");
  }
}

}  // namespace changeaware::ovn
