#include "compiler/oracle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "base/errors.h"
#include "base/pages.h"
#include "graph/subgraph.h"
#include "normalise/normalise.h"
#include "strategy/comparison.h"

namespace changeaware {
namespace {

// Outputs of callable_graph(graph) by value name. `examples` by Graph::inputs().
Result<std::map<std::string, Tensor>> run_once(const Engine& engine, const Graph& graph,
                                               const std::vector<Tensor>& examples) {
  const Graph callable = callable_graph(graph);
  std::vector<Tensor> inputs;
  for (ValueId id : callable.inputs()) {
    const ValueId own = graph.find_value(callable.value(id).name);
    const auto at = std::find(graph.inputs().begin(), graph.inputs().end(), own);
    inputs.push_back(examples[static_cast<size_t>(at - graph.inputs().begin())]);
  }
  CA_ASSIGN_OR_RETURN(const auto executable, engine.compile(callable));
  std::vector<Tensor> outputs(callable.outputs().size());
  CA_RETURN_IF_ERROR(executable->run(inputs, outputs));
  std::map<std::string, Tensor> by_name;
  for (size_t i = 0; i < outputs.size(); ++i) {
    by_name[callable.value(std::get<ValueRef>(callable.outputs()[i]).id).name] = outputs[i];
  }
  return by_name;
}

// Tensors that nodes of both graphs define under one name, in execution order of `graph`.
std::vector<std::string> common_values(const Graph& graph, const Graph& original) {
  std::vector<bool> computed(original.values().size(), false);
  for (const Node& node : original.nodes()) {
    for (ValueId id : node.outputs) {
      if (id != kNoId) computed[id] = true;
    }
  }
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    for (ValueId id : node.outputs) {
      if (id == kNoId || graph.value(id).kind != ValueKind::kTensor) continue;
      const ValueId other = original.find_value(graph.value(id).name);
      if (other != kNoId && computed[other]) names.push_back(graph.value(id).name);
    }
  }
  return names;
}

Result<Graph> with_outputs(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes(graph.nodes().size());
  for (NodeId n = 0; n < nodes.size(); ++n) nodes[n] = n;
  std::vector<ValueId> outputs;
  for (const std::string& name : names) outputs.push_back(graph.find_value(name));
  return extract_subgraph(graph, nodes, graph.inputs(), outputs);
}

const Node* producer(const Graph& graph, const std::string& name) {
  const ValueId id = graph.find_value(name);
  for (const Node& node : graph.nodes()) {
    if (std::find(node.outputs.begin(), node.outputs.end(), id) != node.outputs.end()) return &node;
  }
  return nullptr;
}

// The exact engine reads weights where they are mapped; the fast one has copies of its own.
void drop_weights(const Graph& graph) {
  for (const Constant& constant : graph.constants()) {
    const Storage& storage = *constant.tensor.storage();
    if (storage.is_file_mapping()) drop_pages(whole_pages(storage.data(), storage.bytes()));
  }
}

constexpr const char* kRecorded = "the reference";
constexpr const char* kPyTorch = "PyTorch";
constexpr const char* kComparison = "comparison with PyTorch";

// Whether two results of indices along `dim` choose elements of the same bits everywhere.
bool choose_equal_elements(const Tensor& from, int64_t dim, const Tensor& a, const Tensor& b) {
  const auto rank = static_cast<int64_t>(from.rank());
  if (a.dtype() != DType::kInt64 || a.shape() != b.shape() || a.rank() != from.rank()) return false;
  if (dim < 0) dim += rank;
  if (rank == 0 || dim < 0 || dim >= rank) return rank == 0;
  const auto axis = static_cast<size_t>(dim);
  int64_t inner = 1;
  for (size_t d = axis + 1; d < from.rank(); ++d) inner *= from.shape()[d];
  const int64_t length = from.shape()[axis];
  const int64_t chosen = a.shape()[axis];
  const size_t item = dtype_bytes(from.dtype());
  const auto element = [&](int64_t place, int64_t index) {
    const int64_t outer = place / (chosen * inner);
    return from.data() +
           static_cast<size_t>((outer * length + index) * inner + place % inner) * item;
  };
  for (int64_t i = 0; i < a.numel(); ++i) {
    const int64_t x = a.data_as<int64_t>()[i];
    const int64_t y = b.data_as<int64_t>()[i];
    if (x < 0 || y < 0 || x >= length || y >= length) return false;
    if (std::memcmp(element(i, x), element(i, y), item) != 0) return false;
  }
  return true;
}

// Which of equal elements comes first is open, but for stable sorts.
bool leaves_order_open(const Node& node) {
  constexpr std::array<std::string_view, 4> kNames = {"sort", "argsort", "topk", "msort"};
  return node.op->overload() != "stable" && node.op->arg_index("dim") >= 0 &&
         std::find(kNames.begin(), kNames.end(), node.op->base_name()) != kNames.end();
}

}  // namespace

Oracle::Oracle(const Engines& engines, const ExportedProgram& read, const ExportedProgram& program,
               const CompileOptions& options)
    : engines_(engines), read_(read), program_(program), options_(options) {}

std::vector<Reference> Oracle::references(std::vector<Rejection>& rejections) {
  std::vector<Reference> out;
  if (!options_.reference.empty())
    out.push_back({kRecorded, options_.reference, options_.tolerance});
  if (engines_.exact() == nullptr || options_.numerics == Numerics::kExact) return out;
  auto expected = compute_exact_outputs();
  if (!expected.ok()) {
    rejections.push_back({kComparison, expected.status().message()});
    return out;
  }
  exact_outputs_ = *std::move(expected);
  out.push_back({kPyTorch, *exact_outputs_, options_.oracle_tolerance});
  return out;
}

Status Oracle::check(const std::string& model_path, const Execution& execution,
                     std::vector<Rejection>& rejections) const {
  const std::vector<std::string>& differences = execution.reference_differences;
  for (size_t i = 0; i < differences.size(); ++i) {
    if (differences[i].empty()) continue;
    if (!has_exact() || i + 1 < differences.size()) {
      if (reference_is_exact()) continue;  // so the next one decides, which knows the nodes
      return unsupported("{}: main does not give what the reference says: {}", model_path,
                         differences[i]);
    }
    const auto where = first_difference();
    const std::string text = where.ok() ? where->text : where.status().message();
    if (where.ok() && where->is_order_of_equals) {
      rejections.push_back({kComparison, "equal elements in another order: " + text});
      continue;
    }
    return unsupported("{}: main does not give what PyTorch gives: {}; {}", model_path,
                       differences[i], text);
  }
  return {};
}

Result<Graph> Oracle::original() const {
  CA_ASSIGN_OR_RETURN(Graph graph, normalise(read_.graph, read_.signature, {.decompose = false}));
  return all_exact(std::move(graph));
}

// Outputs that are no tensors of a node are left out.
Result<std::map<std::string, Tensor>> Oracle::compute_exact_outputs() const {
  CA_ASSIGN_OR_RETURN(const Graph graph, original());
  const auto values = run_once(engines_.engine(), graph, read_.sample_inputs);
  drop_weights(graph);
  CA_RETURN_IF_ERROR(values.status());
  std::map<std::string, Tensor> out;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto* ref = std::get_if<ValueRef>(&graph.outputs()[i]);
    if (ref == nullptr || graph.value(ref->id).kind != ValueKind::kTensor) continue;
    const auto it = values->find(graph.value(ref->id).name);
    if (it != values->end()) out[read_.signature.outputs[i].name] = it->second.contiguous();
  }
  return out;
}

bool Oracle::reference_is_exact() const {
  if (!has_exact()) return false;
  return std::all_of(options_.reference.begin(), options_.reference.end(), [&](const auto& item) {
    const auto it = exact_outputs_->find(item.first);
    return it != exact_outputs_->end() && bit_identical(it->second, item.second.contiguous());
  });
}

bool Oracle::differ_in_order(const Node& node, const std::map<std::string, Tensor>& values,
                             const Tensor& want, const Tensor& got) const {
  const auto* self = std::get_if<ValueRef>(&node.args[0]);
  const auto* dim =
      std::get_if<int64_t>(&node.args[static_cast<size_t>(node.op->arg_index("dim"))]);
  if (self == nullptr || dim == nullptr) return false;
  const Graph& graph = program_.graph;
  Tensor from;
  const auto input = std::find(graph.inputs().begin(), graph.inputs().end(), self->id);
  if (input != graph.inputs().end()) {
    from = read_.sample_inputs[static_cast<size_t>(input - graph.inputs().begin())];
  } else if (const auto it = values.find(graph.value(self->id).name); it != values.end()) {
    from = it->second;
  }
  return from.defined() &&
         choose_equal_elements(from.contiguous(), *dim, want.contiguous(), got.contiguous());
}

// With all values as outputs engines fuse less, so there may be none. Values correspond by name.
Result<Oracle::Difference> Oracle::first_difference() const {
  CA_ASSIGN_OR_RETURN(const Graph exact, original());
  const Graph& graph = program_.graph;
  const std::vector<std::string> names = common_values(graph, exact);
  CA_ASSIGN_OR_RETURN(const Graph seen, with_outputs(graph, names));
  CA_ASSIGN_OR_RETURN(const Graph wanted, with_outputs(exact, names));
  CA_ASSIGN_OR_RETURN(const auto expected,
                      run_once(engines_.engine(), wanted, read_.sample_inputs));
  CA_ASSIGN_OR_RETURN(const auto found, run_once(engines_.engine(), seen, read_.sample_inputs));
  for (const std::string& name : names) {
    const Tensor& want = expected.at(name);
    const Tensor& got = found.at(name);
    const Comparison comparison = compare(want, got, options_.oracle_tolerance);
    if (comparison.within_tolerance) continue;
    const Node* node = producer(graph, name);
    Difference difference;
    difference.text =
        fmt::format("the first value that differs is of node '{}' ({}): it {}", node->name,
                    node->op->name, describe(comparison, want, got, kPyTorch, "the package"));
    difference.is_order_of_equals =
        leaves_order_open(*node) && differ_in_order(*node, found, want, got);
    return difference;
  }
  return Difference{"no single value differs when all are computed as outputs"};
}

}  // namespace changeaware
