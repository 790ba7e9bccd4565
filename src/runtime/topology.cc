#include "runtime/topology.h"

#include <set>

namespace changeaware {
namespace {

std::vector<size_t> input_indices(const Topology& topology, const std::vector<std::string>& names) {
  std::vector<size_t> out;
  for (const std::string& name : names) out.push_back(topology.input_index.at(name));
  return out;
}

InputWords input_words(const Topology& topology, const RegionInfo& region) {
  InputWords words((topology.inputs.size() + 63) / 64);
  for (const auto* list : {&region.dependencies, &region.shape_dependencies}) {
    for (size_t i : *list) words[i / 64] |= uint64_t{1} << (i % 64);
  }
  return words;
}

void mark_results(Topology& t) {
  for (const ResultInfo& result : t.results) {
    if (result.output.kind != ProgramOutput::Kind::kPort || result.source.is_input) continue;
    t.regions[result.source.region].output_is_result[result.source.index] = true;
  }
}

void mark_whole_regions(Topology& t) {
  std::set<size_t> all;
  for (const RegionInfo& region : t.regions)
    all.insert(region.dependencies.begin(), region.dependencies.end());
  for (RegionInfo& region : t.regions) region.is_whole = region.dependencies.size() == all.size();
}

}  // namespace

Topology make_topology(const Manifest& manifest, const std::vector<std::string>& callables) {
  Topology t;
  t.inputs = manifest.inputs;
  std::map<std::string, Source> sources;
  for (size_t i = 0; i < t.inputs.size(); ++i) {
    t.input_index[t.inputs[i].port.name] = i;
    sources[t.inputs[i].port.name] = {true, 0, i};
  }
  for (const std::string& name : callables) {
    const Callable& c = *manifest.find_callable(name);
    RegionInfo region;
    region.name = name;
    region.callable = static_cast<size_t>(&c - manifest.callables.data());
    region.exact_node_count = c.exact_node_count;
    region.output_ports = c.outputs;
    region.assertions = c.assertions;
    region.dependencies = input_indices(t, c.dependencies);
    region.shape_dependencies = input_indices(t, c.shape_dependencies);
    region.depends_on = input_words(t, region);
    region.first_output = t.output_count;
    region.output_is_result.resize(c.outputs.size());
    t.output_count += c.outputs.size();
    for (const Port& port : c.inputs) {
      const Source source = sources.at(port.name);
      region.reads_regions = region.reads_regions || !source.is_input;
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
  mark_results(t);
  mark_whole_regions(t);
  return t;
}

}  // namespace changeaware
