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
    {"inline", inline_bodies},         {"effects", check_effects}, {"functionalise", functionalise},
    {"assertions", decide_assertions}, {"decompose", decompose},   {"simplify", simplify},
};

PassContext make_context(const Graph& graph, const Signature& signature) {
  PassContext context;
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

}  // namespace

Result<Graph> normalise(const Graph& graph, const Signature& signature) {
  const PassContext context = make_context(graph, signature);
  Graph current = graph;
  for (const Pass& pass : kPasses) {
    CA_ASSIGN_OR_RETURN(current, pass.run(current, context));
    if (Status status = verify(current); !status.ok()) {
      return internal_error("after {}: {}", pass.name, status.message());
    }
  }
  return current;
}

}  // namespace changeaware
