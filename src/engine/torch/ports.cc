#include "engine/torch/ports.h"

#include <map>

#include "base/errors.h"
#include "graph/expression.h"
#include "graph/text.h"

namespace changeaware::torch {
namespace {

// Symbols whose size the inputs before have fixed: the size and the input that fixed it.
using Sizes = std::map<std::string, std::pair<int64_t, std::string>>;

Status check_symbols(const Port& port, const Tensor& tensor, Sizes& sizes) {
  for (size_t d = 0; d < port.dims.size(); ++d) {
    const std::string& symbol = port.dims[d].expression;
    if (!is_symbol(symbol)) continue;
    const int64_t size = tensor.shape()[d];
    const auto [it, fresh] = sizes.emplace(symbol, std::pair(size, port.name));
    if (!fresh && it->second.first != size) {
      return invalid_argument("input '{}': dimension {} is {}, but {} is {} in input '{}'",
                              port.name, d, size, symbol, it->second.first, it->second.second);
    }
  }
  return {};
}

}  // namespace

Port port_of(const Value& value) {
  if (value.kind == ValueKind::kTensor)
    return {value.name, value.spec.dtype, value.spec.dims, false};
  const DType dtype = value.kind == ValueKind::kSymInt    ? DType::kInt64
                      : value.kind == ValueKind::kSymBool ? DType::kBool
                                                          : DType::kFloat64;
  return {value.name, dtype, {}, true};
}

bool fits(const Port& port, const Tensor& tensor) {
  if (tensor.dtype() != port.dtype || tensor.rank() != port.dims.size()) return false;
  for (size_t d = 0; d < port.dims.size(); ++d) {
    if (port.dims[d].fixed() && tensor.shape()[d] != port.dims[d].size) return false;
  }
  return true;
}

std::string describe(const Port& port) {
  std::vector<std::string> dims;
  for (const Dim& d : port.dims) dims.push_back(dim_text(d));
  return fmt::format("{}[{}]", dtype_name(port.dtype), fmt::join(dims, ", "));
}

std::string describe(DType dtype, std::span<const int64_t> shape) {
  return fmt::format("{}{}", dtype_name(dtype), shape_to_string(shape));
}

Status check_inputs(const std::vector<Port>& ports, std::span<const Tensor> inputs) {
  if (inputs.size() != ports.size()) {
    return invalid_argument("{} inputs given, {} expected", inputs.size(), ports.size());
  }
  Sizes sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = ports[i];
    if (!inputs[i].defined()) return invalid_argument("input '{}' has no value", port.name);
    if (!fits(port, inputs[i])) {
      return invalid_argument("input '{}' must be {}, not {}", port.name, describe(port),
                              describe(inputs[i].dtype(), inputs[i].shape()));
    }
    CA_RETURN_IF_ERROR(check_symbols(port, inputs[i], sizes));
  }
  return {};
}

}  // namespace changeaware::torch
