#include "runtime/topology.h"

#include "graph/expression.h"

namespace changeaware {
namespace {

std::vector<size_t> input_indices(const Topology& topology, const std::vector<std::string>& names) {
  std::vector<size_t> out;
  for (const std::string& name : names) out.push_back(topology.input_index.at(name));
  return out;
}

std::optional<Shape> fixed_shape(const Port& port) {
  Shape shape;
  for (const std::string& text : port.shape) {
    const auto size = evaluate_expression(text, {});
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

}  // namespace

Topology make_topology(const Manifest& manifest, const Strategy& strategy) {
  Topology t;
  t.strategy = strategy.name;
  t.inputs = manifest.inputs;
  std::map<std::string, Source> sources;
  for (size_t i = 0; i < t.inputs.size(); ++i) {
    t.input_index[t.inputs[i].port.name] = i;
    sources[t.inputs[i].port.name] = {true, 0, i};
  }
  for (const std::string& name : strategy.callables) {
    const Callable& c = *manifest.find_callable(name);
    RegionInfo region;
    region.name = name;
    region.callable = static_cast<size_t>(&c - manifest.callables.data());
    region.output_ports = c.outputs;
    for (const Port& port : c.outputs) region.output_shapes.push_back(fixed_shape(port));
    region.assertions = c.assertions;
    region.dependencies = input_indices(t, c.dependencies);
    region.shape_dependencies = input_indices(t, c.shape_dependencies);
    for (const Port& port : c.inputs) {
      const Source source = sources.at(port.name);
      if (!source.is_input) t.regions[source.region].has_reader = true;
      region.inputs.push_back(source);
    }
    for (size_t i = 0; i < c.outputs.size(); ++i)
      sources[c.outputs[i].name] = {false, t.regions.size(), i};
    t.regions.push_back(std::move(region));
  }
  for (const ProgramOutput& output : manifest.outputs) {
    ResultInfo result{output, {}};
    if (output.kind == ProgramOutput::Kind::kPort) result.source = sources.at(output.port.name);
    t.result_index[output.name] = t.results.size();
    t.results.push_back(std::move(result));
  }
  return t;
}

}  // namespace changeaware
