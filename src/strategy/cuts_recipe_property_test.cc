// What cuts promise is what recipes run, over random small graphs.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/cost.h"
#include "package/ports.h"
#include "package/recipe.h"
#include "regions/partition.h"
#include "regions/random_graph.h"
#include "regions/views.h"

namespace changeaware {
namespace {

constexpr PartitionOptions kExact{.tiny_us = 0, .split_us = 1e12};

Manifest manifest_of(const Graph& graph, const Partition& partition) {
  Manifest m;
  for (ValueId v : graph.inputs()) m.inputs.push_back({make_port(graph, v), ""});
  m.callables.resize(1);
  m.callables[0].name = "main";
  for (const Segment& s : partition.segments) {
    Callable c;
    c.name = s.name;
    for (size_t i : members(s.dependencies)) c.dependencies.push_back(m.inputs[i].port.name);
    for (ValueId v : s.inputs) c.inputs.push_back(make_port(graph, v));
    for (ValueId v : s.outputs) c.outputs.push_back(make_port(graph, v));
    m.callables.push_back(c);
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    ProgramOutput output;
    output.name = "result" + std::to_string(i);
    for_each_value(graph.outputs()[i], [&](ValueId v) { output.port = make_port(graph, v); });
    m.outputs.push_back(output);
  }
  return m;
}

struct Sliced {
  RandomGraph sample;
  std::vector<double> node_us;
  Partition partition;
  Manifest manifest;
};

Sliced random_sliced(std::mt19937& random) {
  Sliced out{random_graph(random, 100), {}, {}, {}};
  const Graph& graph = out.sample.graph;
  PartitionOptions options = kExact;
  options.node_us = random_times(random, graph);
  options.cuts = {.min_slice_us = 0, .min_saved_bytes = 0, .min_saved_share = 0, .tolerance = 0};
  auto partition = make_partition(graph, out.sample.dependencies, options);
  EXPECT_TRUE(partition.ok()) << partition.status().to_string();
  out.partition = std::move(*partition);
  out.node_us = options.node_us;
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    if (is_view(graph, graph.node(n))) out.node_us[n] = 0;
  }
  out.manifest = manifest_of(graph, out.partition);
  return out;
}

// Time of a segment without its copies of constant arithmetic.
double own_us(const Sliced& s, size_t segment) {
  double sum = 0;
  for (NodeId n : s.partition.segments[segment].nodes) {
    const ValueId v = s.sample.graph.node(n).outputs[0];
    if (s.sample.dependencies.shapes[v].any()) sum += s.node_us[n];
  }
  return sum;
}

// Everything but the class is retained in full, of the class one cut, and everything that it does
// not depend on changed.
std::vector<bool> runs_with_cut(const Sliced& s, const SlicedClass& of, const Cut& cut) {
  const Graph& graph = s.sample.graph;
  std::vector<std::string> names;
  for (const Segment& segment : s.partition.segments) names.push_back(segment.name);
  const Recipe recipe(s.manifest, names);
  std::vector<bool> retained(recipe.port_count(), true);
  InputSet spared(graph.inputs().size());
  for (uint32_t segment : of.segments) {
    spared |= s.partition.segments[segment].dependencies;
    for (ValueId v : s.partition.segments[segment].outputs) {
      retained[*recipe.port(graph.value(v).name)] = false;
    }
  }
  for (ValueId v : cut.retained) retained[*recipe.port(graph.value(v).name)] = true;
  std::vector<bool> changed(graph.inputs().size());
  for (size_t i = 0; i < changed.size(); ++i) changed[i] = !spared.test(i);
  return recipe.runs(retained, changed);
}

TEST(CutsAndRecipes, NothingBeforeACutRunsAndNoMoreThanItSaysBehindIt) {
  std::mt19937 random(1);
  size_t exact = 0;
  for (int i = 0; i < 2000; ++i) {
    const Sliced s = random_sliced(random);
    for (const SlicedClass& c : s.partition.classes) {
      for (size_t cut = 0; cut < c.cuts.size(); ++cut) {
        const std::vector<bool> runs = runs_with_cut(s, c, c.cuts[cut]);
        double us = 0;
        double behind_us = 0;
        for (size_t place = 0; place < c.segments.size(); ++place) {
          const uint32_t segment = c.segments[place];
          if (place < cut) {
            ASSERT_FALSE(runs[segment]) << print_graph(s.sample.graph) << c.name << cut;
          } else {
            behind_us += own_us(s, segment);
          }
          if (runs[segment]) us += own_us(s, segment);
        }
        ASSERT_NEAR(behind_us, c.cuts[cut].recompute_us, 1e-6 + 1e-9 * behind_us);
        ASSERT_LE(us, behind_us);
        if (cut > 0 && cut + 1 < c.cuts.size() && us == behind_us) ++exact;
      }
    }
  }
  EXPECT_GT(exact, 500u) << "the sample is too plain";
}

TEST(CutsAndRecipes, RetainedValuesArePortsWithTheBytesOfTheCut) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const Sliced s = random_sliced(random);
    for (const SlicedClass& c : s.partition.classes) {
      std::set<ValueId> ports;
      for (uint32_t segment : c.segments) {
        const auto& outputs = s.partition.segments[segment].outputs;
        ports.insert(outputs.begin(), outputs.end());
      }
      for (const Cut& cut : c.cuts) {
        uint64_t bytes = 0;
        for (ValueId v : cut.retained) {
          ASSERT_TRUE(ports.contains(v)) << s.sample.graph.value(v).name;
          bytes += value_bytes(s.sample.graph, v);
        }
        ASSERT_EQ(bytes, cut.retained_bytes);
      }
      ASSERT_TRUE(c.cuts.front().retained.empty());
    }
  }
}

}  // namespace
}  // namespace changeaware
