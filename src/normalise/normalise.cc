#include "normalise/normalise.h"

#include "base/errors.h"
#include "graph/verifier.h"
#include "normalise/pass.h"

namespace changeaware {
namespace {

struct Pass {
  std::string_view name;
  Result<Graph> (*run)(const Graph&, const PassContext&);
};

constexpr Pass kPasses[] = {
    {"inline", inline_bodies},
    {"effects", check_effects},
    {"functionalise", functionalise},
    {"assertions", decide_assertions},
    {"define", define},
    {"decompose", decompose},
    {"simplify", simplify},
};

PassContext make_context(const Graph& graph, const Signature& signature) {
  PassContext context;
  context.symbols = graph.symbols();
  for (ValueId id : graph.inputs()) {
    std::string name = graph.value(id).name;
    for (const InputSpec& input : signature.inputs) {
      const auto* ref = std::get_if<ValueRef>(&input.value);
      if (ref != nullptr && ref->id == id) name = input.name;
    }
    context.input_names.push_back(std::move(name));
  }
  return context;
}

Result<Graph> run_passes(Graph graph, const PassContext& context);

// The graph with normalised bodies of its branches and loops.
Status normalise_bodies(Graph& graph, const PassContext& context) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    Node& node = graph.mutable_node(static_cast<NodeId>(i));
    for (size_t a = 0; a < node.args.size(); ++a) {
      auto* body = std::get_if<std::shared_ptr<const Graph>>(&node.args[a]);
      if (body == nullptr) continue;
      PassContext inner = context;
      inner.input_names.clear();
      for (ValueId id : (*body)->inputs()) inner.input_names.push_back((*body)->value(id).name);
      auto done = run_passes(**body, inner);
      if (!done.ok()) {
        return done.status().with_context(
            fmt::format("node '{}': {}", node.name, node.op->args[a].name));
      }
      *body = std::make_shared<const Graph>(*std::move(done));
    }
  }
  return {};
}

Result<Graph> run_passes(Graph graph, const PassContext& context) {
  for (const Pass& pass : kPasses) {
    if (pass.run == decompose && context.keep_layouts) continue;
    CA_ASSIGN_OR_RETURN(graph, pass.run(graph, context));
    if (Status status = verify(graph); !status.ok()) {
      return internal_error("after {}: {}", pass.name, status.message());
    }
  }
  CA_RETURN_IF_ERROR(normalise_bodies(graph, context));
  return graph;
}

}  // namespace

Result<Graph> normalise(const Graph& graph, const Signature& signature,
                        const NormaliseOptions& options) {
  PassContext context = make_context(graph, signature);
  context.keep_layouts = !options.decompose;
  return run_passes(graph, context);
}

}  // namespace changeaware
