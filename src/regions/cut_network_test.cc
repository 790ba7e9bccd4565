#include "regions/cut_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace changeaware {
namespace {

// A network as lists, to be built and to be searched.
struct Lists {
  std::vector<int> from_source, to_sink;
  std::vector<std::tuple<uint32_t, uint32_t, int>> edges;  // -1 = unbounded

  CutNetwork network() const {
    CutNetwork out;
    for (size_t v = 0; v < from_source.size(); ++v) {
      out.add_vertex();
      out.add_from_source(static_cast<uint32_t>(v), from_source[v]);
      out.add_to_sink(static_cast<uint32_t>(v), to_sink[v]);
    }
    for (const auto& [from, to, capacity] : edges) {
      if (capacity < 0) {
        out.add_unbounded_edge(from, to);
      } else {
        out.add_edge(from, to, capacity);
      }
    }
    return out;
  }

  int cost(uint32_t side) const {
    int sum = 0;
    for (size_t v = 0; v < from_source.size(); ++v) {
      sum += (side >> v & 1) != 0 ? to_sink[v] : from_source[v];
    }
    for (const auto& [from, to, capacity] : edges) {
      const bool cut = (side >> from & 1) != 0 && (side >> to & 1) == 0;
      if (cut) sum += capacity < 0 ? 1'000'000 : capacity;
    }
    return sum;
  }
};

Lists random_lists(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  Lists out;
  const int vertices = 1 + pick(9);
  for (int v = 0; v < vertices; ++v) {
    out.from_source.push_back(pick(3) == 0 ? 0 : pick(20));
    out.to_sink.push_back(pick(3) == 0 ? pick(20) : 0);
  }
  for (int e = pick(4 * vertices); e > 0; --e) {
    const auto from = static_cast<uint32_t>(pick(vertices));
    const auto to = static_cast<uint32_t>(pick(vertices));
    if (from != to) out.edges.push_back({from, to, pick(4) == 0 ? -1 : pick(12)});
  }
  return out;
}

// The union of all minimum cuts, by looking at each.
uint32_t largest_minimum(const Lists& lists) {
  uint32_t best = 0;
  for (uint32_t side = 0; side < (1u << lists.from_source.size()); ++side) {
    if (lists.cost(side) < lists.cost(best)) best = side;
    if (lists.cost(side) == lists.cost(best)) best |= side;
  }
  return best;
}

uint32_t as_bits(const std::vector<bool>& side) {
  uint32_t out = 0;
  for (size_t v = 0; v < side.size(); ++v) out |= uint32_t{side[v]} << v;
  return out;
}

TEST(CutNetwork, GivesTheLargestMinimumCutFromEitherEnd) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const Lists lists = random_lists(random);
    const CutNetwork network = lists.network();
    const uint32_t expected = largest_minimum(lists);
    ASSERT_EQ(as_bits(network.source_side(PushFrom::kSource)), expected) << "network " << i;
    ASSERT_EQ(as_bits(network.source_side(PushFrom::kSink)), expected) << "network " << i;
  }
}

TEST(CutNetwork, CapacitiesBeyondSixtyFourBitsStayApart) {
  for (const PushFrom from : {PushFrom::kSource, PushFrom::kSink}) {
    CutNetwork network;
    network.add_vertex();
    network.add_vertex();
    network.add_from_source(0, Capacity{1} << 120);
    network.add_to_sink(0, (Capacity{1} << 120) - 1);
    network.add_from_source(1, (Capacity{1} << 120) - 1);
    network.add_to_sink(1, Capacity{1} << 120);
    EXPECT_EQ(as_bits(network.source_side(from)), 0b01u);
  }
}

TEST(CutNetwork, LargeNetworksHaveOneAnswerFromEitherEnd) {
  std::mt19937 random(2);
  constexpr uint32_t kVertices = 3000;
  CutNetwork network;
  for (uint32_t v = 0; v < kVertices; ++v) {
    network.add_vertex();
    network.add_from_source(v, random() % 100);
    if (v % 500 == 499) network.add_to_sink(v, random() % 20000);
    for (int k = 0; k < 2 && v > 0; ++k) {
      const auto from = static_cast<uint32_t>(v - 1 - random() % std::min(v, 20u));
      network.add_edge(from, v, random() % 1000);
      network.add_unbounded_edge(v, from);
    }
  }
  const std::vector<bool> side = network.source_side(PushFrom::kSource);
  EXPECT_EQ(network.source_side(PushFrom::kSink), side);
  EXPECT_EQ(network.source_side(), side);
  const auto inside = std::count(side.begin(), side.end(), true);
  EXPECT_GT(inside, 0) << "a plain network";
  EXPECT_LT(inside, kVertices) << "a plain network";
}

}  // namespace
}  // namespace changeaware
