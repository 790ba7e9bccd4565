// Random small classes: the chain of cuts against all closed sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "regions/cut_hull.h"
#include "regions/cut_network.h"
#include "regions/cuts.h"

namespace changeaware {
namespace {

using Random = std::mt19937_64;

size_t pick(Random& random, size_t n) { return static_cast<size_t>(random() % n); }

// How times and bytes are drawn: each finds faults of another kind.
struct Scale {
  const char* name;
  double (*us)(Random&);
  uint64_t (*bytes)(Random&);
  size_t least_inner;  // cuts that the sample must have besides the ends
};

constexpr Scale kScales[] = {
    {"ordinary", [](Random& r) { return static_cast<double>(pick(r, 100000)) / 64; },
     [](Random& r) { return 4 * pick(r, 1u << 20); }, 1000},
    {"ties", [](Random& r) { return static_cast<double>(pick(r, 4)); },
     [](Random& r) { return uint64_t{pick(r, 4)}; }, 1000},
    {"equal", [](Random&) { return 1.0; }, [](Random&) { return uint64_t{8}; }, 100},
    {"extreme",
     [](Random& r) { return std::pow(10.0, static_cast<double>(pick(r, 1201)) / 100 - 3); },
     [](Random& r) { return (uint64_t{1} << pick(r, 41)) - pick(r, 2); }, 1000},
    {"no time", [](Random& r) { return pick(r, 3) == 0 ? 5.0 : 0.0; },
     [](Random& r) { return uint64_t{1 + pick(r, 100)}; }, 1000},
};

// Up to `most` nodes of one or two values; some read by many, some outside, some by nobody.
CutProblem random_problem(Random& random, const Scale& scale, size_t most) {
  const auto size = static_cast<uint32_t>(1 + pick(random, most));
  CutProblem problem;
  for (uint32_t n = 0; n < size; ++n) {
    problem.node_us.push_back(scale.us(random));
    const size_t values = pick(random, 4) == 0 ? 2 : 1;
    for (size_t i = 0; i < values; ++i) {
      CutValue value{
          static_cast<ValueId>(problem.values.size()), n, scale.bytes(random), false, {}};
      const size_t density = 1 + pick(random, 5);
      for (uint32_t reader = n + 1; reader < size; ++reader) {
        if (pick(random, density) == 0 && pick(random, 2) == 0) value.readers.push_back(reader);
      }
      value.external = value.readers.empty() ? pick(random, 8) != 0 : pick(random, 6) == 0;
      if (value.external || !value.readers.empty()) problem.values.push_back(std::move(value));
    }
  }
  return problem;
}

using Mask = uint32_t;

bool is_closed(const CutProblem& problem, Mask set) {
  return std::all_of(problem.values.begin(), problem.values.end(), [&](const CutValue& v) {
    return std::all_of(v.readers.begin(), v.readers.end(), [&](uint32_t reader) {
      return (set >> reader & 1) == 0 || (set >> v.producer & 1) != 0;
    });
  });
}

uint64_t bytes_of(const CutProblem& problem, Mask set) {
  uint64_t bytes = 0;
  for (const CutValue& v : problem.values) {
    const bool outside = v.external || std::any_of(v.readers.begin(), v.readers.end(),
                                                   [&](uint32_t r) { return !(set >> r & 1); });
    if ((set >> v.producer & 1) != 0 && outside) bytes += v.bytes;
  }
  return bytes;
}

uint64_t ticks_of(const CutProblem& problem, Mask set) {
  uint64_t ticks = 0;
  for (size_t n = 0; n < problem.node_us.size(); ++n) {
    if (!(set >> n & 1)) ticks += static_cast<uint64_t>(std::llround(problem.node_us[n] * 0x1p20));
  }
  return ticks;
}

struct Point {
  uint64_t bytes = 0;
  uint64_t ticks = 0;
  Mask set = 0;  // the union of all closed sets at this point
  bool operator==(const Point&) const = default;
};

// b does not lie strictly below the line from a to c.
bool is_no_vertex(const Point& a, const Point& b, const Point& c) {
  const auto wide = [](uint64_t x) { return static_cast<Capacity>(x); };
  return (wide(a.ticks) - b.ticks) * (wide(c.bytes) - a.bytes) <=
         (wide(a.ticks) - c.ticks) * (wide(b.bytes) - a.bytes);
}

// Vertices of the lower hull over all closed sets, by looking at each of them.
std::vector<Point> all_vertices(const CutProblem& problem) {
  std::map<std::pair<uint64_t, uint64_t>, Mask> points;
  for (Mask set = 0; set < (Mask{1} << problem.node_us.size()); ++set) {
    if (is_closed(problem, set)) points[{bytes_of(problem, set), ticks_of(problem, set)}] |= set;
  }
  std::vector<Point> hull;
  for (const auto& [point, set] : points) {
    const Point next{point.first, point.second, set};
    if (!hull.empty() && next.ticks >= hull.back().ticks) continue;
    while (hull.size() > 1 && is_no_vertex(hull[hull.size() - 2], hull.back(), next)) {
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

std::vector<Point> points_of(const CutHull& hull) {
  std::vector<Point> out;
  for (const HullCut& cut : hull.cuts) {
    Mask set = 0;
    for (uint32_t i = 0; i < cut.nodes; ++i) set |= Mask{1} << hull.order[i];
    out.push_back({cut.bytes, cut.ticks, set});
  }
  return out;
}

std::string describe(const CutProblem& problem) {
  std::string out;
  for (size_t n = 0; n < problem.node_us.size(); ++n) {
    out += "node " + std::to_string(n) + ": " + std::to_string(problem.node_us[n]) + " us\n";
  }
  for (const CutValue& v : problem.values) {
    out += std::to_string(v.producer) + " -> " + std::to_string(v.bytes) + " bytes ->";
    for (uint32_t r : v.readers) out += " " + std::to_string(r);
    out += v.external ? " outside\n" : "\n";
  }
  return out;
}

// The vertices, with the empty set and the whole class where those are none.
std::vector<Point> expected_cuts(const CutProblem& problem) {
  std::vector<Point> out = all_vertices(problem);
  const Mask all = (Mask{1} << problem.node_us.size()) - 1;
  if (out.front().set != 0) out.insert(out.begin(), {0, ticks_of(problem, 0), 0});
  if (out.back().set != all) out.push_back({bytes_of(problem, all), 0, all});
  return out;
}

class CutsOfScale : public testing::TestWithParam<Scale> {};

TEST_P(CutsOfScale, EqualAnExhaustiveSearchOverAllClosedSets) {
  Random random(1);
  size_t inner = 0;
  for (int i = 0; i < 3000; ++i) {
    const CutProblem problem = random_problem(random, GetParam(), 10);
    const std::vector<Point> found = points_of(find_cut_hull(problem));
    ASSERT_EQ(found, expected_cuts(problem)) << describe(problem);
    for (size_t c = 1; c < found.size(); ++c) {
      ASSERT_EQ(found[c - 1].set & ~found[c].set, 0u) << describe(problem);
    }
    inner += found.size() - 2;
  }
  EXPECT_GT(inner, GetParam().least_inner) << "the sample is too plain";
}

TEST_P(CutsOfScale, DoNotDependOnTheOrderOfValues) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    CutProblem problem = random_problem(random, GetParam(), 30);
    const std::vector<Point> found = points_of(find_cut_hull(problem));
    std::shuffle(problem.values.begin(), problem.values.end(), random);
    ASSERT_EQ(points_of(find_cut_hull(problem)), found) << describe(problem);
  }
}

// At the price of every edge of the exact curve, and so at every price.
TEST_P(CutsOfScale, WithinAToleranceAreAlmostAsGoodAtEveryPrice) {
  constexpr double kTolerance = 0.05;
  Random random(4);
  size_t left_out = 0;
  for (int i = 0; i < 1000; ++i) {
    const CutProblem problem = random_problem(random, GetParam(), 30);
    const CutHull exact = find_cut_hull(problem);
    const CutHull coarse = find_cut_hull(problem, kTolerance);
    left_out += exact.cuts.size() - coarse.cuts.size();
    for (size_t c = 1; c < exact.cuts.size(); ++c) {
      const double ticks = static_cast<double>(exact.cuts[c - 1].ticks - exact.cuts[c].ticks);
      const double bytes = static_cast<double>(exact.cuts[c].bytes - exact.cuts[c - 1].bytes);
      const auto least = [&](const CutHull& hull) {
        double cost = std::numeric_limits<double>::infinity();
        for (const HullCut& cut : hull.cuts) {
          cost = std::min(cost, bytes * static_cast<double>(cut.ticks) +
                                    ticks * static_cast<double>(cut.bytes));
        }
        return cost;
      };
      ASSERT_LE(least(coarse) * (1 - kTolerance), least(exact) * (1 + 1e-9)) << describe(problem);
    }
  }
  EXPECT_GE(left_out, GetParam().least_inner / 50) << "the tolerance is never used";
}

// Closure makes slices convex and their quotient a chain: no value is read by an earlier slice.
TEST_P(CutsOfScale, SliceTheClassIntoAChainWithTheBytesThatTheySay) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const CutProblem problem = random_problem(random, GetParam(), 30);
    const auto chain = cut_class(
        problem, {.min_slice_us = 1, .min_saved_bytes = 2, .min_saved_share = 0, .max_cuts = 3});
    ASSERT_TRUE(chain.ok()) << chain.status().to_string();
    ASSERT_LE(chain->cuts.size(), 4u);
    std::vector<uint64_t> bytes(chain->cuts.size(), 0);
    std::vector<double> us(chain->cuts.size(), 0);
    for (const CutValue& v : problem.values) {
      for (uint32_t reader : v.readers) {
        ASSERT_LE(chain->slice_of_node[v.producer], chain->slice_of_node[reader]);
      }
    }
    for (size_t c = 0; c < chain->cuts.size(); ++c) {
      for (const CutValue& v : problem.values) {
        const auto& kept = chain->cuts[c].retained;
        if (std::binary_search(kept.begin(), kept.end(), v.id)) bytes[c] += v.bytes;
      }
      for (size_t n = 0; n < problem.node_us.size(); ++n) {
        if (chain->slice_of_node[n] >= c) us[c] += problem.node_us[n];
      }
      EXPECT_EQ(chain->cuts[c].retained_bytes, bytes[c]) << describe(problem);
      EXPECT_NEAR(chain->cuts[c].recompute_us, us[c], 1e-4 + 1e-9 * us[c]) << describe(problem);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, CutsOfScale, testing::ValuesIn(kScales), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

// A chain whose k-th value has k^2 bytes: every cut is a vertex.
TEST(Cuts, OfAParabolaAreAllFound) {
  CutProblem problem;
  constexpr uint32_t kNodes = 500;
  for (uint32_t n = 0; n < kNodes; ++n) {
    problem.node_us.push_back(1);
    CutValue value{n, n, uint64_t{n + 1} * (n + 1), n + 1 == kNodes, {}};
    if (!value.external) value.readers.push_back(n + 1);
    problem.values.push_back(value);
  }
  const CutHull hull = find_cut_hull(problem);
  ASSERT_EQ(hull.cuts.size(), kNodes + 1);
  for (uint32_t k = 0; k <= kNodes; ++k) {
    EXPECT_EQ(hull.cuts[k].nodes, k);
    EXPECT_EQ(hull.cuts[k].bytes, uint64_t{k} * k);
  }
}

}  // namespace
}  // namespace changeaware
