#include "compiler/examples.h"

#include <algorithm>

#include "base/errors.h"

namespace changeaware {
namespace {

Status check_fit(const Value& input, const Tensor& tensor) {
  const TensorSpec& spec = input.spec;
  const DType dtype = input.kind == ValueKind::kTensor ? spec.dtype : DType::kInt64;
  bool fits = tensor.dtype() == dtype && tensor.rank() == spec.dims.size();
  for (size_t d = 0; fits && d < spec.dims.size(); ++d) {
    fits = !spec.dims[d].fixed() || spec.dims[d].size == tensor.shape()[d];
  }
  if (fits) return {};
  return invalid_argument("example for '{}' is {} {}, the program takes {} {}", input.name,
                          dtype_name(tensor.dtype()), shape_to_string(tensor.shape()),
                          dtype_name(dtype), shape_to_string(spec.hint_shape()));
}

}  // namespace

Result<std::vector<Tensor>> example_inputs(const ExportedProgram& program,
                                           const std::map<std::string, Tensor>& examples) {
  const Graph& graph = program.graph;
  std::vector<Tensor> out = program.sample_inputs;
  if (out.empty() && examples.empty()) return out;
  out.resize(graph.inputs().size());
  std::vector<std::string> names;
  for (ValueId id : graph.inputs()) names.push_back(graph.value(id).name);
  for (const auto& [name, tensor] : examples) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      return invalid_argument("example for unknown input '{}'; the inputs are: {}", name,
                              fmt::join(names, ", "));
    }
    out[static_cast<size_t>(it - names.begin())] = tensor;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].defined()) return invalid_argument("no example for input '{}'", names[i]);
    CA_RETURN_IF_ERROR(check_fit(graph.value(graph.inputs()[i]), out[i]));
    out[i] = out[i].contiguous();
  }
  return out;
}

}  // namespace changeaware
