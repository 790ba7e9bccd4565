// Shared by the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "graph/text.h"
#include "graph/verifier.h"
#include "normalise/pass.h"

namespace changeaware {

using PassFunction = Result<Graph> (*)(const Graph&, const PassContext&);

inline Graph parse_or_die(const std::string& text) {
  Result<Graph> graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string() << "\n" << text;
  return graph.ok() ? std::move(graph).value() : Graph();
}

inline PassContext context_of(const Graph& graph) {
  PassContext context;
  for (ValueId id : graph.inputs()) context.input_names.push_back(graph.value(id).name);
  context.symbols = graph.symbols();
  return context;
}

// The graph after the pass as text, or the error as text.
inline std::string run_pass(PassFunction pass, const Graph& graph) {
  const Result<Graph> done = pass(graph, context_of(graph));
  if (!done.ok()) return done.status().to_string();
  const Status status = verify(*done);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return print_graph(*done);
}

inline std::string run_pass(PassFunction pass, const std::string& text) {
  return run_pass(pass, parse_or_die(text));
}

// Sets the traced strides of a value.
inline void set_strides(Graph& graph, const std::string& name,
                        const std::vector<int64_t>& strides) {
  const ValueId id = graph.find_value(name);
  ASSERT_NE(id, kNoId) << name;
  for (int64_t stride : strides) graph.mutable_value(id).spec.strides.push_back(Dim{stride, ""});
}

}  // namespace changeaware
