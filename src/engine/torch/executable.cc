#include "engine/torch/executable.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "engine/torch/program_spec.h"
#include "engine/torch_numbers.h"

namespace changeaware::torch {
namespace {

bool has_negative_stride(const Tensor& t) {
  return std::any_of(t.strides().begin(), t.strides().end(), [](int64_t s) { return s < 0; });
}

}  // namespace

TorchExecutable::TorchExecutable(const Plugin& plugin, int threads, const Graph& graph)
    : functions_(plugin.functions), threads_(threads), program_(nullptr, Free{plugin.functions}) {
  for (const ValueId id : graph.inputs()) inputs_.push_back(port_of(graph.value(id)));
  for (const Argument& output : graph.outputs()) {
    outputs_.push_back(port_of(graph.value(std::get<ValueRef>(output).id)));
  }
  for (const Constant& constant : graph.constants()) constants_.push_back(constant.tensor);
}

Result<std::unique_ptr<Executable>> TorchExecutable::make(const Plugin& plugin, int threads,
                                                          const Graph& graph) {
  CA_ASSIGN_OR_RETURN(const ProgramSpec spec, ProgramSpec::of(graph));
  std::unique_ptr<TorchExecutable> out(new TorchExecutable(plugin, threads, graph));
  CaTorchProgram* program = nullptr;
  CaTorchMessage message{};
  const int32_t code = plugin.functions->build(&spec.get(), &program, &message);
  CA_RETURN_IF_ERROR(to_status(code, message));
  out->program_.reset(program);
  return std::unique_ptr<Executable>(std::move(out));
}

Status TorchExecutable::check_given(std::span<const Tensor> outputs) const {
  if (outputs.size() != outputs_.size()) {
    return invalid_argument("{} outputs given, {} expected", outputs.size(), outputs_.size());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    if (!fits(outputs_[i], outputs[i]) || !outputs[i].is_contiguous()) {
      return invalid_argument("output '{}' must be {} and contiguous, not {}", outputs_[i].name,
                              describe(outputs_[i]),
                              describe(outputs[i].dtype(), outputs[i].shape()));
    }
  }
  return {};
}

// The tensor owns what the plug-in made.
Result<Tensor> TorchExecutable::take(CaTorchOutput& output, const Port& port) const {
  const std::shared_ptr<const void> owner(output.owner, functions_->free_owner);
  output.owner = nullptr;
  const auto rank = static_cast<size_t>(output.given.rank);
  const std::optional<DType> dtype = dtype_of_scalar_type(output.given.dtype);
  if (!dtype) {
    return unsupported("output '{}' came out in PyTorch's scalar type {}", port.name,
                       output.given.dtype);
  }
  Shape shape(output.given.sizes, output.given.sizes + rank);
  std::vector<int64_t> strides(output.given.strides, output.given.strides + rank);
  Tensor out =
      std::find(shape.begin(), shape.end(), 0) != shape.end()
          ? Tensor::empty(*dtype, std::move(shape))
          : Tensor::borrow(*dtype, std::move(shape), std::move(strides), output.given.data, owner);
  if (!fits(port, out)) {
    return internal_error("output '{}' came out as {}, not {}", port.name,
                          describe(out.dtype(), out.shape()), describe(port));
  }
  return out;
}

Status TorchExecutable::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
  CA_RETURN_IF_ERROR(check_inputs(inputs_, inputs));
  CA_RETURN_IF_ERROR(check_given(outputs));
  std::vector<Tensor> copies;
  copies.reserve(inputs.size());
  std::vector<CaTorchTensor> given;
  for (const Tensor& t : inputs) {
    // PyTorch has no negative strides.
    given.push_back(describe(has_negative_stride(t) ? copies.emplace_back(t.clone()) : t));
  }
  std::vector<CaTorchOutput> results(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    results[i] = {};
    if (!outputs[i].defined()) continue;
    results[i].given = describe(outputs[i]);
    results[i].is_given = 1;
  }
  CaTorchMessage message{};
  const int32_t code =
      functions_->run(program_.get(), threads_, given.data(), results.data(), &message);
  Status status = to_status(code, message);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].owner == nullptr) continue;
    Result<Tensor> taken = take(results[i], outputs_[i]);  // also after an error, to free it
    if (status.ok() && !taken.ok()) status = taken.status();
    if (status.ok()) outputs[i] = *std::move(taken);
  }
  return status;
}

}  // namespace changeaware::torch
