// Random small graphs for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "analysis/dependencies.h"
#include "graph/text.h"

namespace changeaware {

struct RandomGraph {
  Graph graph;
  Dependencies dependencies;
};

// Up to 5 inputs, 24 nodes of one to three operands, some constants, some sizes, some views, up to
// 3 results. Values have up to `most_elements` elements, whatever their operators would give.
inline RandomGraph random_graph(std::mt19937& random, size_t most_elements = 1) {
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t inputs = 1 + pick(5);
  std::string text = "graph(";
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs; ++i) {
    text += fmt::format("%x{}: f32[s{}], ", i, i);
    names.push_back(fmt::format("x{}", i));
  }
  text += ") {\n  %w = constant f32[1] {1}\n";
  names.push_back("w");
  const size_t nodes = 1 + pick(24);
  for (size_t i = 0; i < nodes; ++i) {
    const auto operand = [&] { return names[pick(names.size())]; };
    const std::string head = fmt::format("  %n{}: f32[{}] =", i, 1 + pick(most_elements));
    switch (pick(5)) {
      case 0: text += fmt::format("{} aten.relu.default(%{})\n", head, operand()); break;
      case 1:
        text += fmt::format("{} aten.cat.default([%{}, %{}, %{}])\n", head, operand(), operand(),
                            operand());
        break;
      case 2: {
        const size_t x = pick(inputs);
        text += fmt::format("  %n{}: f32[s{}] = aten.ones_like.default(%x{})\n", i, x, x);
        break;
      }
      case 3: text += fmt::format("{} aten.alias.default(%{})\n", head, operand()); break;
      default: text += fmt::format("{} aten.add.Tensor(%{}, %{})\n", head, operand(), operand());
    }
    names.push_back(fmt::format("n{}", i));
  }
  text += "  return (";
  for (size_t i = 0; i < 1 + pick(3); ++i) text += fmt::format("%{}, ", names[pick(names.size())]);
  auto graph = parse_graph(text + ")\n}");
  EXPECT_TRUE(graph.ok()) << graph.status().to_string() << text;
  auto dependencies = analyse_dependencies(*graph);
  EXPECT_TRUE(dependencies.ok());
  return {std::move(*graph), std::move(*dependencies)};
}

// Whole microseconds, some of them none.
inline std::vector<double> random_times(std::mt19937& random, const Graph& graph) {
  std::vector<double> out;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    out.push_back(static_cast<double>(random() % 4 * (random() % 50)));
  }
  return out;
}

}  // namespace changeaware
