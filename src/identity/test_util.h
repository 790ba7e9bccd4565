// For the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "graph/text.h"
#include "graph/verifier.h"
#include "identity/identity.h"

namespace changeaware {

inline const NumericConfig kTestConfig{"openvino", "2026.4", "f32", "fast"};

inline Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string() << "\n" << text;
  return graph.ok() ? *std::move(graph) : Graph();
}

inline std::string bytes_of(const Graph& graph, const NumericConfig& config = kTestConfig) {
  const Status valid = verify(graph);
  EXPECT_TRUE(valid.ok()) << valid.to_string() << print_graph(graph);
  ParameterDigests digests;
  return canonical_bytes(graph, config, digests);
}
inline std::string bytes_of(std::string_view text) { return bytes_of(graph_of(text)); }

// The same region with everything else changed: names of values, nodes, constants and symbols, the
// order of nodes (any topological one), of values and of constants, how constants are stored, kinds
// of constants, hints, traced strides, nodes that nothing reads.
// Nodes with effects keep their order.
Graph disguised(const Graph& graph, std::mt19937& random);

}  // namespace changeaware
