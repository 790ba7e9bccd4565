// Properties of partitions over random small graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "graph/text.h"
#include "regions/groups.h"
#include "regions/partition.h"
#include "regions/random_graph.h"
#include "regions/views.h"

namespace changeaware {
namespace {

// Slices wherever a cut is a vertex.
constexpr CutOptions kEveryCut{
    .min_slice_us = 0, .min_saved_bytes = 0, .min_saved_share = 0, .max_cuts = 3, .tolerance = 0};

// Dependencies by brute force: v depends on x when a path of value-reading edges leads from x to v.
bool reaches(const Graph& graph, ValueId from, ValueId to) {
  std::set<ValueId> reached = {from};
  for (const Node& node : graph.nodes()) {
    bool hit = false;
    for (size_t a = 0; a < node.args.size(); ++a) {
      for_each_value(node.args[a], [&](ValueId v) {
        const bool is_input = std::count(graph.inputs().begin(), graph.inputs().end(), v) > 0;
        if (reads_only_metadata(*node.op, a) && is_input) return;
        hit = hit || reached.contains(v);
      });
    }
    if (hit) reached.insert(node.outputs.begin(), node.outputs.end());
  }
  return reached.contains(to);
}

constexpr int kGraphs = 2000;

TEST(PartitionProperties, DependencySetsEqualReachability) {
  std::mt19937 random(1);
  for (int i = 0; i < kGraphs / 4; ++i) {
    const RandomGraph s = random_graph(random);
    for (ValueId v = 0; v < s.graph.values().size(); ++v) {
      for (size_t x = 0; x < s.graph.inputs().size(); ++x) {
        ASSERT_EQ(s.dependencies.values[v].test(x), reaches(s.graph, s.graph.inputs()[x], v))
            << print_graph(s.graph) << s.graph.value(v).name;
      }
    }
  }
}

// Convexity, an acyclic quotient, complete ports and "exactly one segment" are what
// verify_partition() checks; make_partition() fails when it does.
TEST(PartitionProperties, EveryPartitionVerifiesWithAndWithoutMerging) {
  std::mt19937 random(2);
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph s = random_graph(random);
    for (const PartitionOptions& options : {PartitionOptions{.tiny_us = 0, .split_us = 1e12},
                                            PartitionOptions{.tiny_us = 0, .split_us = 0},
                                            PartitionOptions{.tiny_us = 1e12, .split_us = 1e12},
                                            PartitionOptions{.tiny_us = 1e12, .split_us = 0}}) {
      const auto partition = make_partition(s.graph, s.dependencies, options);
      ASSERT_TRUE(partition.ok()) << partition.status().to_string() << print_graph(s.graph);
    }
  }
}

// So do sliced ones, with their cuts, also those of merged groups.
TEST(PartitionProperties, EverySlicedPartitionVerifies) {
  std::mt19937 random(6);
  size_t inner_cuts = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph s = random_graph(random, 100);
    for (double tiny_us : {0.0, 1.0, 1e12}) {
      PartitionOptions options{.tiny_us = tiny_us, .split_us = i % 2 == 0 ? 0 : 1e12};
      options.node_us = random_times(random, s.graph);
      options.cuts = kEveryCut;
      const auto partition = make_partition(s.graph, s.dependencies, options);
      ASSERT_TRUE(partition.ok()) << partition.status().to_string() << print_graph(s.graph);
      for (const SlicedClass& c : partition->classes) inner_cuts += c.cuts.size() - 2;
    }
  }
  EXPECT_GT(inner_cuts, static_cast<size_t>(kGraphs) / 2) << "the sample is too plain";
}

// Convexity by its definition, independently of the execution order: no path leaves a segment and
// comes back.
TEST(PartitionProperties, SegmentsAreConvex) {
  std::mt19937 random(3);
  for (int i = 0; i < kGraphs / 4; ++i) {
    const RandomGraph s = random_graph(random);
    PartitionOptions options{.tiny_us = 1e12, .split_us = 0};
    if (i % 2 == 0) options.node_us = random_times(random, s.graph);
    options.cuts = kEveryCut;
    const auto partition = make_partition(s.graph, s.dependencies, options);
    ASSERT_TRUE(partition.ok());
    const std::vector<ValueId> source = shaped_from(s.graph);
    for (const Segment& segment : partition->segments) {
      std::set<NodeId> inside;  // without what every reader has: constant arithmetic and views
      for (NodeId n : segment.nodes) {
        const ValueId v = s.graph.node(n).outputs[0];
        if (s.dependencies.shapes[v].any() && source[v] == v) inside.insert(n);
      }
      std::set<ValueId> left;  // computed outside from something computed inside
      std::set<ValueId> own;
      for (NodeId n = 0; n < s.graph.nodes().size(); ++n) {
        const Node& node = s.graph.node(n);
        bool from_own = false;
        bool from_left = false;
        for_each_input(node, [&](ValueId v) {
          from_own = from_own || own.contains(source[v]);
          from_left = from_left || left.contains(source[v]);
        });
        if (source[node.outputs[0]] != node.outputs[0]) continue;
        if (inside.contains(n)) {
          ASSERT_FALSE(from_left) << segment.name << " " << node.name << "\n"
                                  << print_graph(s.graph);
          own.insert(node.outputs.begin(), node.outputs.end());
        } else if (from_own || from_left) {
          left.insert(node.outputs.begin(), node.outputs.end());
        }
      }
    }
  }
}

// With everything retained, the nodes executed under a change mask are exactly those that depend
// on a changed input: no valid execution can run fewer.
TEST(PartitionProperties, TheExecutedNodesAreMinimalForEveryChangeMask) {
  std::mt19937 random(4);
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph s = random_graph(random, 100);
    PartitionOptions options{.tiny_us = 0, .split_us = 0};
    if (i % 2 == 0) options.node_us = random_times(random, s.graph);
    options.cuts = kEveryCut;
    const auto partition = make_partition(s.graph, s.dependencies, options);
    ASSERT_TRUE(partition.ok());
    const std::vector<ValueId> source = shaped_from(s.graph);
    const size_t inputs = s.graph.inputs().size();
    for (uint64_t mask = 0; mask < (1u << inputs); ++mask) {
      const InputSet changed(inputs, mask);
      std::set<NodeId> executed;
      for (const Segment& segment : partition->segments) {
        if (!segment.dependencies.intersects(changed)) continue;
        for (NodeId n : segment.nodes) {
          const ValueId v = s.graph.node(n).outputs[0];
          if (s.dependencies.shapes[v].any() && source[v] == v) executed.insert(n);
        }
      }
      for (NodeId n = 0; n < s.graph.nodes().size(); ++n) {
        const ValueId v = s.graph.node(n).outputs[0];
        if (source[v] != v) continue;  // who reads it makes it
        ASSERT_EQ(executed.contains(n), s.dependencies.values[v].intersects(changed))
            << print_graph(s.graph) << s.graph.node(n).name << " mask " << mask;
      }
    }
  }
}

// Splitting by outputs: what runs for one wanted output is exactly what it needs.
TEST(PartitionProperties, AWantedOutputRunsOnlyWhatItNeeds) {
  std::mt19937 random(5);
  for (int i = 0; i < kGraphs / 2; ++i) {
    const RandomGraph s = random_graph(random);
    const auto partition = make_partition(s.graph, s.dependencies, {.tiny_us = 0, .split_us = 0});
    ASSERT_TRUE(partition.ok());
    const std::vector<ValueId> source = shaped_from(s.graph);
    for (const Argument& output : s.graph.outputs()) {
      const ValueId wanted = std::get<ValueRef>(output).id;
      std::set<ValueId> needed = {wanted};
      std::set<NodeId> needed_nodes;
      for (size_t n = s.graph.nodes().size(); n > 0; --n) {
        const Node& node = s.graph.nodes()[n - 1];
        if (!needed.contains(node.outputs[0])) continue;
        needed_nodes.insert(static_cast<NodeId>(n - 1));
        for_each_input(node, [&](ValueId v) { needed.insert(v); });
      }
      std::set<ValueId> ports = {wanted};
      for (size_t k = partition->segments.size(); k > 0; --k) {
        const Segment& segment = partition->segments[k - 1];
        const bool runs = std::any_of(segment.outputs.begin(), segment.outputs.end(),
                                      [&](ValueId v) { return ports.contains(v); });
        if (!runs) continue;
        ports.insert(segment.inputs.begin(), segment.inputs.end());
        for (NodeId n : segment.nodes) {
          const ValueId v = s.graph.node(n).outputs[0];
          if (source[v] != v) continue;  // stays with its source, needed or not
          ASSERT_TRUE(needed_nodes.contains(n)) << print_graph(s.graph) << s.graph.node(n).name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace changeaware
