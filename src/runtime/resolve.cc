#include "runtime/resolve.h"

#include "base/errors.h"

namespace changeaware {
namespace {

std::string input_list(const Topology& topology) {
  std::vector<std::string> names;
  for (const ProgramInput& input : topology.inputs) {
    if (input.fixed_value.empty()) names.push_back(input.port.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Position of a named input that the caller may give.
Result<size_t> find_input(const Topology& topology, const std::string& name) {
  const auto it = topology.input_index.find(name);
  if (it == topology.input_index.end()) {
    return invalid_argument("no input '{}'; the inputs are: {}", name, input_list(topology));
  }
  const ProgramInput& input = topology.inputs[it->second];
  if (!input.fixed_value.empty()) {
    return invalid_argument("input '{}' was fixed to {} at export and takes no value", name,
                            input.fixed_value);
  }
  return it->second;
}

Status resolve_inputs(const Topology& topology, const Request& request, Values values,
                      RequestState& state) {
  state.inputs.resize(topology.inputs.size());
  for (const auto& [name, tensor] : request.inputs) {
    CA_ASSIGN_OR_RETURN(const size_t i, find_input(topology, name));
    if (!tensor.defined()) return invalid_argument("input '{}' is an empty handle", name);
    state.inputs[i].tensor = tensor;
  }
  for (const auto& [name, tag] : request.versions) {
    CA_ASSIGN_OR_RETURN(const size_t i, find_input(topology, name));
    if (values == Values::kNeeded && !state.inputs[i].tensor.defined()) {
      return invalid_argument(
          "version tag \"{}\" for input '{}', which has no value in this request", tag, name);
    }
    state.inputs[i].tagged = true;
    state.inputs[i].version = tag_version(tag);
  }
  return {};
}

Status resolve_outputs(const Topology& topology, const Request& request, RequestState& state) {
  state.wanted.assign(topology.results.size(), request.want.empty());
  state.all_assertions = request.want.empty();
  for (const std::string& name : request.want) {
    const auto it = topology.result_index.find(name);
    if (it == topology.result_index.end()) {
      std::vector<std::string> names;
      for (const ResultInfo& result : topology.results) names.push_back(result.output.name);
      return invalid_argument("no output '{}'; the outputs are: {}", name, fmt::join(names, ", "));
    }
    state.wanted[it->second] = true;
  }
  return {};
}

}  // namespace

Result<RequestState> resolve_request(const Family& family, const InputContract& contract,
                                     const Request& request, Values values) {
  RequestState state;
  const Topology& topology = family.topology;
  state.family = &family;
  state.topology = &topology;
  state.reuse = request.reuse;
  state.cancellation = {request.stop, request.deadline};
  state.regions.resize(topology.regions.size());
  CA_RETURN_IF_ERROR(resolve_inputs(topology, request, values, state));
  CA_RETURN_IF_ERROR(resolve_outputs(topology, request, state));
  state.needed = needed_inputs(topology, state.wanted, state.all_assertions);
  std::vector<Tensor> given;
  for (size_t i = 0; i < state.needed.size(); ++i) {
    const ProgramInput& input = topology.inputs[i];
    const InputState& found = state.inputs[i];
    if (state.needed[i] && !found.tensor.defined() && !found.tagged) {
      return invalid_argument("input '{}' is missing; the inputs are: {}", input.port.name,
                              input_list(topology));
    }
    given.push_back(found.tensor);
  }
  CA_RETURN_IF_ERROR(contract.check(given));
  return state;
}

}  // namespace changeaware
