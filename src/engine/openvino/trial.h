// trial: converts a graph to find out which of its nodes cannot be converted.
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::ovn {

struct Trial {
  // Nodes that certainly fail by themselves; never empty when a node is known to fail. Others may
  // have failed only because of these.
  std::vector<NodeRefusal> refused;
  // Why all of it failed without a node to blame; empty = it did not.
  std::string failure;
  std::shared_ptr<ov::Model> model;  // when nothing failed
  std::vector<Tensor> constants;     // what `model` reads in place
};

// REQUIRES: every output is a ValueRef to what a node computes. Throws nothing.
Trial try_conversion(const Graph& graph);

}  // namespace changeaware::ovn
