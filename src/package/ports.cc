#include "package/ports.h"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/subgraph.h"
#include "graph/text.h"

namespace changeaware {

Port make_port(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  Port port;
  port.name = value.name;
  if (value.kind != ValueKind::kTensor) {
    // Symbolic numbers travel as tensors of rank 0.
    port.dtype = value.kind == ValueKind::kSymInt    ? DType::kInt64
                 : value.kind == ValueKind::kSymBool ? DType::kBool
                                                     : DType::kFloat64;
    return port;
  }
  port.dtype = value.spec.dtype;
  for (const Dim& d : value.spec.dims) port.shape.push_back(dim_text(d));
  return port;
}

// Nested ones count for the node that holds them.
uint64_t count_exact_nodes(const Graph& graph) {
  const auto is_exact = [](const Node& node) {
    return node.exact || std::any_of(node.args.begin(), node.args.end(), [](const Argument& a) {
             const auto* body = std::get_if<std::shared_ptr<const Graph>>(&a);
             return body != nullptr && *body != nullptr && count_exact_nodes(**body) > 0;
           });
  };
  return static_cast<uint64_t>(std::count_if(graph.nodes().begin(), graph.nodes().end(), is_exact));
}

Callable describe_callable(const std::string& name, const Graph& region) {
  const Graph callable = callable_graph(region);
  Callable out;
  out.name = name;
  out.node_count = callable.nodes().size();
  out.exact_node_count = count_exact_nodes(callable);
  for (ValueId id : callable.inputs()) out.inputs.push_back(make_port(callable, id));
  std::set<std::string> returned;
  for (const Argument& output : region.outputs()) {
    for_each_value(output, [&](ValueId id) { returned.insert(region.value(id).name); });
  }
  for (const Argument& output : callable.outputs()) {
    const ValueId id = std::get<ValueRef>(output).id;
    if (returned.contains(callable.value(id).name)) out.outputs.push_back(make_port(callable, id));
  }
  for (const Assertion& a : region.assertions()) out.assertions.push_back(a.message);
  std::set<std::tuple<const void*, int64_t, Shape>> counted;
  for (const Constant& c : callable.constants()) {
    const Tensor& t = c.tensor;
    if (counted.insert({t.storage()->data(), t.storage_offset(), t.shape()}).second) {
      out.weight_bytes += t.size_bytes();
    }
  }
  return out;
}

NumericConfig numeric_config(const Manifest& manifest) {
  std::string numerics = manifest.exact_numerics ? "exact" : "fast";
  if (!manifest.exact_engine_version.empty())
    numerics += " with PyTorch " + manifest.exact_engine_version;
  return {manifest.engine_name, manifest.engine_version, "f32", std::move(numerics)};
}

}  // namespace changeaware
