#include "strategy/reference.h"

#include <vector>

#include "base/errors.h"
#include "strategy/comparison.h"

namespace changeaware {
namespace {

bool is_tensor(const ProgramOutput& output) {
  return output.kind == ProgramOutput::Kind::kPort ||
         output.kind == ProgramOutput::Kind::kConstantTensor;
}

}  // namespace

Status check_reference(const Manifest& manifest, const std::map<std::string, Tensor>& reference) {
  std::map<std::string, const Port*> ports;
  std::vector<std::string> names;
  for (const ProgramOutput& output : manifest.outputs) {
    if (!is_tensor(output)) continue;
    ports[output.name] = &output.port;
    names.push_back(output.name);
  }
  for (const auto& [name, tensor] : reference) {
    const auto it = ports.find(name);
    if (it == ports.end()) {
      return invalid_argument("reference for '{}', which is no output; the outputs are: {}", name,
                              fmt::join(names, ", "));
    }
    const Port& port = *it->second;
    if (tensor.dtype() != port.dtype || tensor.rank() != port.shape.size()) {
      return invalid_argument("reference for output '{}' is {} {}, the program gives {} [{}]", name,
                              dtype_name(tensor.dtype()), shape_to_string(tensor.shape()),
                              dtype_name(port.dtype), fmt::join(port.shape, ", "));
    }
  }
  return {};
}

std::string compare_with_reference(const Manifest& manifest, const Reference& reference,
                                   const std::function<Tensor(size_t)>& result) {
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const auto it = reference.outputs.find(manifest.outputs[i].name);
    if (it == reference.outputs.end()) continue;
    const Tensor expected = it->second.contiguous();
    const Tensor got = result(i).contiguous();
    const Comparison comparison = compare(expected, got, reference.tolerance);
    if (comparison.within_tolerance) continue;
    return fmt::format("output '{}' {}", it->first,
                       describe(comparison, expected, got, reference.label, "main"));
  }
  return "";
}

}  // namespace changeaware
