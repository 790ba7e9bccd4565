#include "strategy/equivalence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

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

// The largest difference of two float tensors over the largest finite magnitude of `expected`;
// infinite where one has a NaN or infinity that the other has not.
template <class T>
double relative_difference(const T* expected, const T* got, int64_t count) {
  double scale = 0;
  double worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto a = static_cast<double>(expected[i]);
    const auto b = static_cast<double>(got[i]);
    if (std::isfinite(a)) scale = std::max(scale, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    worst = std::max(worst, std::isfinite(a - b) ? std::abs(a - b) : HUGE_VAL);
  }
  return worst == 0 ? 0 : worst / std::max(scale, std::numeric_limits<double>::min());
}

bool within_tolerance(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  double difference = HUGE_VAL;  // dtypes without a C++ float type must be equal to the bit
  with_element_type(a.dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<T>) {
      difference = relative_difference(a.data_as<T>(), b.data_as<T>(), a.numel());
    }
  });
  return difference <= kTolerance;
}

// "… differs first at element 3: 0.25 in main, 0.5 in the segments".
std::string describe_difference(const std::string& output, const Tensor& expected,
                                const Tensor& got) {
  if (expected.dtype() != got.dtype() || expected.shape() != got.shape()) {
    return fmt::format("output '{}' is {} {} in main, {} {} in the segments", output,
                       dtype_name(expected.dtype()), shape_to_string(expected.shape()),
                       dtype_name(got.dtype()), shape_to_string(got.shape()));
  }
  const size_t item = dtype_bytes(expected.dtype());
  int64_t first = 0;
  while (std::memcmp(expected.data() + first * item, got.data() + first * item, item) == 0) ++first;
  return fmt::format("output '{}' differs first at element {}: {} in main, {} in the segments",
                     output, first, element_text(expected, first), element_text(got, first));
}

// Compares every computed result of the program; stops at the first that is out of tolerance.
void compare_results(const Graph& graph, const Values& whole, const Values& pieces,
                     Equivalence& out) {
  out.same_bits = true;
  out.within_tolerance = true;
  for (const Argument& output : graph.outputs()) {
    const auto* ref = std::get_if<ValueRef>(&output);
    if (ref == nullptr || graph.constant_of(ref->id) != nullptr) continue;
    const std::string& name = graph.value(ref->id).name;
    const Tensor expected = whole.at(name).contiguous();
    const Tensor got = pieces.at(name).contiguous();
    if (bit_identical(expected, got)) continue;
    if (out.same_bits) out.difference = describe_difference(name, expected, got);
    out.same_bits = false;
    if (within_tolerance(expected, got)) continue;
    out.within_tolerance = false;
    out.difference = describe_difference(name, expected, got);
    return;
  }
}

}  // namespace

Result<Graph> segment_graph(const Graph& graph, const Segment& segment) {
  CA_ASSIGN_OR_RETURN(Graph region,
                      extract_subgraph(graph, segment.nodes, segment.inputs, segment.outputs));
  for (size_t i : segment.assertions) {
    const Assertion& a = graph.assertions()[i];
    region.add_assertion({region.find_value(graph.value(a.condition).name), a.message});
  }
  return region;
}

Result<Equivalence> check_equivalence(const Engine& engine, const Graph& graph,
                                      const Partition& partition, const std::vector<Tensor>& inputs,
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

  out.executed = true;
  compare_results(graph, whole, pieces, out);
  return out;
}

}  // namespace changeaware
