#include "compiler/packaging.h"

#include <utility>

#include "analysis/cost.h"
#include "base/errors.h"
#include "package/manifest_json.h"
#include "package/ports.h"
#include "strategy/segment_graph.h"

namespace changeaware {
namespace {

using Kind = ProgramOutput::Kind;

// The text of an input or output that was fixed at export.
struct FixedText {
  std::string operator()(None) const { return "None"; }
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return fmt::format("{}", d); }
  std::string operator()(const std::string& s) const { return '"' + s + '"'; }
  template <class T>
  std::string operator()(const T&) const {
    return "(fixed)";
  }
};

ProgramInput make_input(const Graph& graph, const InputSpec& spec) {
  ProgramInput input;
  if (const auto* ref = std::get_if<ValueRef>(&spec.value)) {
    input.port = make_port(graph, ref->id);
  } else {
    input.fixed_value = std::visit(FixedText{}, spec.value);
  }
  input.port.name = spec.name;
  return input;
}

ProgramOutput make_output(const Graph& graph, const OutputSpec& spec, const Argument& value) {
  ProgramOutput out;
  out.name = spec.name;
  if (const auto* ref = std::get_if<ValueRef>(&value)) {
    out.kind = graph.constant_of(ref->id) != nullptr ? Kind::kConstantTensor : Kind::kPort;
    out.port = make_port(graph, ref->id);
  } else if (const auto* b = std::get_if<bool>(&value)) {
    out.kind = Kind::kBool;
    out.int_value = *b;
  } else if (const auto* i = std::get_if<int64_t>(&value)) {
    out.kind = Kind::kInt;
    out.int_value = *i;
  } else if (const auto* d = std::get_if<double>(&value)) {
    out.kind = Kind::kFloat;
    out.float_value = *d;
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    out.kind = Kind::kString;
    out.string_value = *s;
  } else {
    out.kind = Kind::kNone;
  }
  return out;
}

std::vector<std::string> input_names(const Graph& graph, const InputSet& set) {
  std::vector<std::string> out;
  for (size_t i : members(set)) out.push_back(graph.value(graph.inputs()[i]).name);
  return out;
}

void add_main(const ExportedProgram& program, const Dependencies& dependencies, Manifest& m) {
  const Graph& graph = program.graph;
  Callable main = describe_callable("main", graph);
  InputSet values(graph.inputs().size());
  InputSet shapes(graph.inputs().size());
  const auto add = [&](ValueId id) {
    values |= dependencies.values[id];
    shapes |= dependencies.shapes[id];
  };
  for (const Argument& output : graph.outputs()) for_each_value(output, add);
  for (const Assertion& a : graph.assertions()) add(a.condition);
  main.dependencies = input_names(graph, values);
  main.shape_dependencies = input_names(graph, shapes - values);
  m.callables.push_back(std::move(main));
}

void add_segments(const std::vector<ExportedProgram>& regions, const Partition& partition,
                  Manifest& m) {
  const Graph& graph = regions[0].graph;
  for (size_t i = 0; i < partition.segments.size(); ++i) {
    const Segment& segment = partition.segments[i];
    Callable c = describe_callable(segment.name, regions[1 + i].graph);
    c.dependencies = input_names(graph, segment.dependencies);
    c.shape_dependencies = input_names(graph, segment.shape_dependencies);
    m.callables.push_back(std::move(c));
  }
}

ExportedProgram segment_program(const Segment& segment, Graph graph, std::string torch_version) {
  ExportedProgram region;
  region.name = segment.name;
  region.torch_version = std::move(torch_version);
  for (ValueId id : graph.inputs())
    region.signature.inputs.push_back({graph.value(id).name, ValueRef{id}});
  for (const Argument& output : graph.outputs()) {
    region.signature.outputs.push_back({graph.value(std::get<ValueRef>(output).id).name});
  }
  region.graph = std::move(graph);
  return region;
}

}  // namespace

Result<std::vector<ExportedProgram>> make_regions(const ExportedProgram& program,
                                                  const Partition& partition) {
  std::vector<ExportedProgram> regions;
  regions.push_back(program);
  regions.back().name = "main";
  for (const Segment& segment : partition.segments) {
    CA_ASSIGN_OR_RETURN(Graph graph, segment_graph(program.graph, segment));
    regions.push_back(segment_program(segment, std::move(graph), program.torch_version));
  }
  return regions;
}

Manifest make_manifest(const std::vector<ExportedProgram>& regions, const Partition& partition,
                       const Dependencies& dependencies, const EngineInfo& engine) {
  const ExportedProgram& program = regions[0];
  const Graph& graph = program.graph;
  Manifest m;
  m.format_major = kFormatMajor;
  m.format_minor = kFormatMinor;
  m.engine_name = engine.name;
  m.engine_version = engine.version;
  m.torch_version = program.torch_version;
  m.in_spec = program.signature.in_spec;
  m.out_spec = program.signature.out_spec;
  for (const InputSpec& input : program.signature.inputs)
    m.inputs.push_back(make_input(graph, input));
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    m.outputs.push_back(make_output(graph, program.signature.outputs[i], graph.outputs()[i]));
  }
  for (const auto& [symbol, range] : graph.symbols()) {
    m.symbols.push_back({symbol, range.min.value_or(0), range.max.value_or(INT64_MAX)});
  }
  add_main(program, dependencies, m);
  add_segments(regions, partition, m);
  for (const MergedClass& merged : partition.merged) {
    m.rejections.push_back(
        {merged.name, fmt::format("merged into {}: {}", merged.into, merged.reason)});
  }
  for (const RejectedBoundary& r : partition.rejected) m.rejections.push_back({r.name, r.reason});
  return m;
}

std::vector<ClassCuts> make_class_cuts(const Graph& graph, const Partition& partition) {
  std::vector<ClassCuts> out;
  for (const SlicedClass& sliced : partition.classes) {
    ClassCuts cuts{.label = sliced.name};
    for (const Cut& cut : sliced.cuts) {
      ClassCuts::Choice choice{.bytes = cut.retained_bytes};
      for (ValueId id : cut.retained) choice.retained.push_back(graph.value(id).name);
      cuts.choices.push_back(std::move(choice));
    }
    out.push_back(std::move(cuts));
  }
  // What depends on nothing never changes, so there is no choice: every strategy retains it.
  for (const Segment& segment : partition.segments) {
    if (segment.dependencies.any() || segment.shape_dependencies.any()) continue;
    ClassCuts::Choice all;
    for (ValueId id : segment.outputs) {
      all.bytes += value_bytes(graph, id);
      all.retained.push_back(graph.value(id).name);
    }
    out.push_back({.label = segment.name, .choices = {std::move(all)}});
  }
  return out;
}

}  // namespace changeaware
