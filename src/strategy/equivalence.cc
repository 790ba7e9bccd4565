#include "strategy/equivalence.h"

#include <cstring>

#include "base/errors.h"
#include "graph/subgraph.h"
#include "tensor/element.h"

namespace changeaware {
namespace {

// Values by name: names are the same in `main` and in every segment.
using Values = std::map<std::string, Tensor>;

// Compiles and runs one callable; adds what it returns to `values`.
Status run_callable(const Engine& engine, const Graph& region, Values& values) {
  const Graph callable = callable_graph(region);
  CA_ASSIGN_OR_RETURN(const auto executable, engine.compile(callable));
  std::vector<Tensor> inputs;
  for (ValueId id : callable.inputs()) inputs.push_back(values.at(callable.value(id).name));
  std::vector<Tensor> outputs(callable.outputs().size());
  CA_RETURN_IF_ERROR(executable->run(inputs, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    values[callable.value(std::get<ValueRef>(callable.outputs()[i]).id).name] = outputs[i];
  }
  for (const Assertion& a : region.assertions()) {
    if (!is_nonzero(values.at(region.value(a.condition).name))) {
      return failed_assertion("on the example inputs: {}", a.message);
    }
  }
  return {};
}

std::string describe_difference(const std::string& output, const Tensor& expected, const Tensor& got) {
  if (expected.dtype() != got.dtype() || expected.shape() != got.shape()) {
    return fmt::format("output '{}' is {} {} in main, {} {} in the segments", output, dtype_name(expected.dtype()),
                       shape_to_string(expected.shape()), dtype_name(got.dtype()), shape_to_string(got.shape()));
  }
  const Tensor a = expected.contiguous();
  const Tensor b = got.contiguous();
  const size_t item = dtype_bytes(a.dtype());
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (std::memcmp(a.data() + i * item, b.data() + i * item, item) == 0) continue;
    return fmt::format("output '{}' differs first at element {}: {} in main, {} in the segments", output, i,
                       element_text(a, i), element_text(b, i));
  }
  return {};
}

}  // namespace

Result<Graph> segment_graph(const Graph& graph, const Segment& segment) {
  CA_ASSIGN_OR_RETURN(Graph region, extract_subgraph(graph, segment.nodes, segment.inputs, segment.outputs));
  for (size_t i : segment.assertions) {
    const Assertion& a = graph.assertions()[i];
    region.add_assertion({region.find_value(graph.value(a.condition).name), a.message});
  }
  return region;
}

Result<Equivalence> check_equivalence(const Engine& engine, const Graph& graph, const Partition& partition,
                                      const std::vector<Tensor>& inputs,
                                      const std::function<void(size_t, size_t)>& progress) {
  const size_t total = 1 + partition.segments.size();
  const auto report = [&](size_t done) {
    if (progress) progress(done, total);
  };
  Values given;
  for (size_t i = 0; i < inputs.size(); ++i) given[graph.value(graph.inputs()[i]).name] = inputs[i];

  Values whole = given;
  report(0);
  CA_RETURN_IF_ERROR(run_callable(engine, graph, whole));
  Values pieces = given;
  Equivalence out;
  for (size_t s = 0; s < partition.segments.size(); ++s) {
    report(1 + s);
    const Segment& segment = partition.segments[s];
    CA_ASSIGN_OR_RETURN(const Graph region, segment_graph(graph, segment));
    const Status status = run_callable(engine, region, pieces);
    if (!status.ok()) return status.with_context(segment.name);
    for (ValueId id : segment.outputs) {
      out.output_bytes[segment.name] += pieces.at(graph.value(id).name).size_bytes();
    }
  }
  report(total);

  for (const Argument& output : graph.outputs()) {
    const auto* ref = std::get_if<ValueRef>(&output);
    if (ref == nullptr || graph.constant_of(ref->id) != nullptr) continue;
    const std::string& name = graph.value(ref->id).name;
    if (bit_identical(whole.at(name), pieces.at(name))) continue;
    out.difference = describe_difference(name, whole.at(name), pieces.at(name));
    return out;
  }
  out.equal = true;
  return out;
}

}  // namespace changeaware
