#include "strategy/test_program.h"

#include <gtest/gtest.h>

#include "analysis/dependencies.h"
#include "graph/text.h"
#include "package/ports.h"
#include "regions/partition.h"
#include "strategy/segment_graph.h"

namespace changeaware::testing {
namespace {

Tensor example_of(const TensorSpec& spec) {
  const Shape shape = spec.hint_shape();
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  if (spec.dtype != DType::kFloat32) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(i);
    return Tensor::of(spec.dtype, shape, values);
  }
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i + 1));
  return Tensor::of(spec.dtype, shape, values);
}

std::vector<std::string> names_of(const Graph& graph, const InputSet& set) {
  std::vector<std::string> out;
  for (size_t i : members(set)) out.push_back(graph.value(graph.inputs()[i]).name);
  return out;
}

void add_callable(TestProgram& out, const std::string& name, Graph graph,
                  std::vector<std::string> dependencies) {
  Callable c = describe_callable(name, graph);
  c.identity = std::string(64, 'a');
  c.dependencies = std::move(dependencies);
  out.manifest.callables.push_back(std::move(c));
  ExportedProgram region;
  region.name = name;
  region.graph = std::move(graph);
  out.regions.push_back(std::move(region));
}

}  // namespace

TestProgram make_test_program(const std::string& text) {
  TestProgram out;
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  auto dependencies = analyse_dependencies(*graph);
  EXPECT_TRUE(dependencies.ok()) << dependencies.status().to_string();
  auto partition = make_partition(*graph, *dependencies);
  EXPECT_TRUE(partition.ok()) << partition.status().to_string();

  Manifest& m = out.manifest;
  for (ValueId id : graph->inputs()) {
    m.inputs.push_back({make_port(*graph, id), ""});
    out.examples.push_back(example_of(graph->value(id).spec));
  }
  for (const Argument& output : graph->outputs()) {
    const ValueId id = std::get<ValueRef>(output).id;
    ProgramOutput described{.name = "out_" + graph->value(id).name, .port = make_port(*graph, id)};
    if (graph->constant_of(id) != nullptr) described.kind = ProgramOutput::Kind::kConstantTensor;
    m.outputs.push_back(std::move(described));
  }
  add_callable(out, "main", *graph, names_of(*graph, ~InputSet(graph->inputs().size())));
  Strategy all{.name = "full_retention"};
  for (const Segment& segment : partition->segments) {
    auto region = segment_graph(*graph, segment);
    EXPECT_TRUE(region.ok()) << region.status().to_string();
    add_callable(out, segment.name, *std::move(region), names_of(*graph, segment.dependencies));
    all.callables.push_back(segment.name);
    for (const Port& port : m.callables.back().outputs) all.retained.push_back(port.name);
  }
  m.strategies = {{.name = "monolithic", .callables = {"main"}}, std::move(all)};
  EXPECT_TRUE(m.validate().ok()) << m.validate().to_string();
  return out;
}

}  // namespace changeaware::testing
