#include "engine/mixed/mixed_engine.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/mixed/assembly.h"
#include "engine/mixed/control_flow.h"
#include "engine/mixed/pieces.h"
#include "graph/subgraph.h"

namespace changeaware {
namespace {

using namespace mixed;

Result<std::unique_ptr<Executable>> compile_on(const Engine& engine, const Graph& graph,
                                               const std::string& identity) {
  return identity.empty() ? engine.compile(graph) : engine.compile_identified(graph, identity);
}

class MixedEngine final : public Engine {
 public:
  MixedEngine(std::unique_ptr<Engine> fast, std::shared_ptr<Engine> exact)
      : fast_(std::move(fast)), exact_(std::move(exact)) {}

  EngineInfo info() const override { return fast_->info(); }
  BlobReport blob_report() const override { return fast_->blob_report(); }

  Result<std::unique_ptr<Executable>> compile(const Graph& graph) const override {
    return compile_identified(graph, {});
  }

  Result<std::unique_ptr<Executable>> compile_identified(
      const Graph& graph, const std::string& identity) const override {
    for (const Argument& output : graph.outputs()) {
      if (!std::holds_alternative<ValueRef>(output)) {
        return internal_error("an output of the region is not a value");
      }
    }
    CA_RETURN_IF_ERROR(check_engines(graph));
    const std::vector<Piece> pieces = split_into_pieces(graph);
    if (pieces.empty()) return compile_on(*fast_, graph, identity);
    if (pieces.size() == 1 && pieces[0].kind != PieceKind::kControlFlow) {
      return compile_on(engine_of(pieces[0].kind), graph, identity);
    }
    Assembly assembly(graph, pieces);
    for (size_t p = 0; p < pieces.size(); ++p) {
      const std::string part = identity.empty() ? identity : fmt::format("{}#{}", identity, p);
      CA_ASSIGN_OR_RETURN(auto executable,
                          compile_piece(graph, pieces[p], assembly.ports(p), part));
      assembly.add(std::move(executable));
    }
    return make_sequence(std::move(assembly).finish());
  }

  Result<std::vector<NodeRefusal>> refusals(const Graph& graph) const override {
    CA_ASSIGN_OR_RETURN(std::vector<NodeRefusal> refused, fast_->refusals(graph));
    std::erase_if(refused, [&](const NodeRefusal& refusal) {
      const Node& node = graph.node(refusal.node);
      return is_control_flow(node) ? is_known_control_flow(node) : node.exact && exact_ != nullptr;
    });
    return refused;
  }

 private:
  const Engine& engine_of(PieceKind kind) const {
    return kind == PieceKind::kExact ? *exact_ : *fast_;
  }

  Status check_engines(const Graph& graph) const {
    if (exact_ != nullptr) return {};
    for (const Node& node : graph.nodes()) {
      if (!node.exact || is_control_flow(node)) continue;
      return unsupported(
          "node '{}' ({}) needs the exact engine: install PyTorch 2.13 and run `changeaware doctor "
          "--build-torch-engine`",
          node.name, node.op->name);
    }
    return {};
  }

  Result<std::unique_ptr<Executable>> compile_piece(const Graph& graph, const Piece& piece,
                                                    const PiecePorts& ports,
                                                    const std::string& identity) const {
    if (piece.kind == PieceKind::kControlFlow) {
      return compile_control_flow(*this, graph, graph.node(piece.nodes[0]), identity);
    }
    CA_ASSIGN_OR_RETURN(const Graph part,
                        extract_subgraph(graph, piece.nodes, ports.inputs, ports.outputs));
    return compile_on(engine_of(piece.kind), part, identity);
  }

  std::unique_ptr<Engine> fast_;
  std::shared_ptr<Engine> exact_;
};

}  // namespace

std::unique_ptr<Engine> make_mixed_engine(std::unique_ptr<Engine> fast,
                                          std::shared_ptr<Engine> exact) {
  return std::make_unique<MixedEngine>(std::move(fast), std::move(exact));
}

}  // namespace changeaware
