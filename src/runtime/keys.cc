#include "runtime/keys.h"

#include "base/errors.h"

namespace changeaware {
namespace {

// Framed, so that no two lists of parts look alike.
void append_part(std::string& key, const std::string& part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

// The shape of a program input, from its value or, without one, from the program.
Result<std::string> input_shape(const RequestState& state, size_t i) {
  const Tensor& tensor = state.inputs[i].tensor;
  if (tensor.defined()) return shape_to_string(tensor.shape());
  if (!state.needed[i]) return std::string();
  Shape shape;
  const Port& port = state.topology->inputs[i].port;
  for (const std::string& size : port.shape) {
    if (size.find_first_not_of("0123456789") != std::string::npos) {
      return invalid_argument("input '{}' has symbolic sizes: its version alone does not tell them",
                              port.name);
    }
    shape.push_back(std::stoll(size));
  }
  return shape_to_string(shape);
}

}  // namespace

Status make_version_keys(RequestState& state) {
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const RegionInfo& region = state.topology->regions[r];
    RetainedCache::Key& key = state.regions[r].key;
    key.region = region.callable;
    key.text = "v";
    for (size_t i : region.dependencies) append_part(key.text, state.inputs[i].version);
    for (size_t i : region.shape_dependencies) {
      CA_ASSIGN_OR_RETURN(const std::string shape, input_shape(state, i));
      append_part(key.text, shape);
    }
  }
  return {};
}

std::optional<RetainedCache::Key> contents_key(const RequestState& state, size_t r) {
  const RegionInfo& region = state.topology->regions[r];
  RetainedCache::Key key{region.callable, state.regions[r].is_exact ? "x" : "c"};
  for (const Source& source : region.inputs) {
    if (source.is_input) {
      append_part(key.text, state.inputs[source.index].version);
      continue;
    }
    const auto& prints = state.regions[source.region].prints;
    if (prints.empty() || prints[source.index].empty()) return std::nullopt;
    append_part(key.text, prints[source.index]);
  }
  return key;
}

}  // namespace changeaware
