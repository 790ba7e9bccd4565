// The engines of a compilation, and the choice of one for each node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "changeaware/compiler.h"
#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware {

class Engines {
 public:
  // The exact engine is optional unless `numerics` needs it: then Unsupported, saying what to do.
  static Result<Engines> start(int threads, Numerics numerics, const ExactEngineOptions& options);

  // Makes the operators of the users' libraries known that the file has.
  Status register_operators(const std::string& model_path) const;

  // Sets Node::exact for the nodes that the fast engine cannot run faithfully, also in nested
  // graphs, or for all. Gives "node (operator): why" for the former. Unsupported naming the first
  // of them when there is no exact engine.
  Result<std::vector<std::string>> choose(Graph& graph) const;

  // Says in the manifest, whose callables are there, which engines it needs.
  void describe(Manifest& manifest) const;

  // Runs what choose() has seen.
  const Engine& engine() const { return *engine_; }
  // Null where it is not there.
  const Engine* exact() const { return exact_.get(); }
  // What to do to have it; empty when it is there.
  const std::string& why_no_exact() const { return why_no_exact_; }

 private:
  Engines() = default;
  Status choose_within(Graph& graph, std::vector<std::string>& chosen) const;

  Numerics numerics_ = Numerics::kFast;
  ExactEngineOptions options_;
  std::shared_ptr<Engine> exact_;
  std::string why_no_exact_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace changeaware
