#include "compiler/engines.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "archive/archive.h"
#include "base/errors.h"
#include "engine/mixed/mixed_engine.h"
#include "engine/openvino/openvino_engine.h"
#include "engine/torch/torch_engine.h"
#include "graph/subgraph.h"
#include "pt2/unknown_operators.h"

namespace changeaware {
Result<Engines> Engines::start(int threads, Numerics numerics, const ExactEngineOptions& options) {
  Engines out;
  out.numerics_ = numerics;
  out.options_ = options;
  auto exact = make_torch_engine(threads, options);
  if (exact.ok()) {
    out.exact_ = *std::move(exact);
  } else if (numerics == Numerics::kExact || !options.op_libraries.empty() ||
             !options.torch_folder.empty()) {
    return exact.status().with_context("the exact engine");
  } else {
    out.why_no_exact_ = exact.status().message();
  }
  CA_ASSIGN_OR_RETURN(auto fast, make_openvino_engine({.threads = threads}));
  out.engine_ = make_mixed_engine(std::move(fast), out.exact_);
  return out;
}

Status Engines::register_operators(const std::string& model_path) const {
  if (options_.op_libraries.empty()) return {};
  CA_ASSIGN_OR_RETURN(const auto archive, Archive::open(model_path));
  return changeaware::register_operators(*archive, torch_op_schemas(options_));
}

void Engines::describe(Manifest& manifest) const {
  manifest.exact_numerics = numerics_ == Numerics::kExact;
  const bool needs_exact = std::any_of(manifest.callables.begin(), manifest.callables.end(),
                                       [](const Callable& c) { return c.exact_node_count > 0; });
  if (exact_ == nullptr || !(needs_exact || manifest.exact_numerics)) return;
  manifest.exact_engine_version = exact_->info().version;
  for (const std::string& path : options_.op_libraries)
    manifest.op_libraries.push_back(std::filesystem::path(path).filename().string());
}

Result<std::vector<std::string>> Engines::choose(Graph& graph) const {
  std::vector<std::string> chosen;
  if (numerics_ == Numerics::kExact) {
    graph = all_exact(std::move(graph));
  } else {
    CA_RETURN_IF_ERROR(choose_within(graph, chosen));
  }
  return chosen;
}

Status Engines::choose_within(Graph& graph, std::vector<std::string>& chosen) const {
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    Node& node = graph.mutable_node(n);
    node.exact = false;
    for (Argument& argument : node.args) {
      auto* nested = std::get_if<std::shared_ptr<const Graph>>(&argument);
      if (nested == nullptr || *nested == nullptr) continue;
      auto body = std::make_shared<Graph>(**nested);
      CA_RETURN_IF_ERROR(choose_within(*body, chosen).with_context(node.name));
      *nested = std::move(body);
    }
  }
  CA_ASSIGN_OR_RETURN(const std::vector<NodeRefusal> refusals, engine_->refusals(graph));
  for (const NodeRefusal& refusal : refusals) {
    Node& node = graph.mutable_node(refusal.node);
    if (exact_ == nullptr) {
      return unsupported("node '{}' ({}): {}. The exact engine runs it: {}", node.name,
                         node.op->name, refusal.reason, why_no_exact_);
    }
    node.exact = true;
    chosen.push_back(fmt::format("{} ({}): {}", node.name, node.op->name, refusal.reason));
  }
  return {};
}

}  // namespace changeaware
