// Strategies of random small manifests against an exhaustive search.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "package/random_manifest.h"
#include "strategy/strategies.h"

namespace changeaware {
namespace {

struct Case {
  Manifest manifest;
  std::vector<ClassCuts> classes;
};

// Up to 3 classes of some segments' ports; each choice retains some more of them, or others.
Case random_case(std::mt19937& random) {
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Case out{random_manifest(random, 1 + pick(6)), {}};
  const size_t classes = pick(4);
  for (size_t k = 0; k < classes; ++k) {
    ClassCuts cuts{"c" + std::to_string(k), {{0, {}}}};
    for (size_t choice = 0; choice < 1 + pick(2); ++choice) {
      ClassCuts::Choice made;
      for (size_t s = 1; s < out.manifest.callables.size(); ++s) {
        if (s % classes != k) continue;
        for (const Port& port : out.manifest.callables[s].outputs) {
          if (pick(2) != 0) continue;
          made.retained.push_back(port.name);
          made.bytes += s * s;
        }
      }
      cuts.choices.push_back(made);
    }
    out.classes.push_back(cuts);
  }
  return out;
}

// A candidate by its definition.
struct Candidate {
  bool is_monolithic = false;
  std::set<std::string> retained;
  uint64_t bytes = 0;
};

std::vector<Candidate> all_candidates(const Case& c) {
  std::vector<Candidate> out = {{true, {}, 0}};
  std::function<void(size_t, Candidate)> add = [&](size_t k, const Candidate& so_far) {
    if (k == c.classes.size()) {
      out.push_back(so_far);
      return;
    }
    for (const ClassCuts::Choice& choice : c.classes[k].choices) {
      Candidate next = so_far;
      next.retained.insert(choice.retained.begin(), choice.retained.end());
      next.bytes += choice.bytes;
      add(k + 1, next);
    }
  };
  add(0, {});
  return out;
}

// What runs, from a result down; `mask` over inputs that are given, `results` over m.outputs.
std::set<size_t> runs_of(const Manifest& m, const Candidate& c, uint32_t mask, uint32_t results) {
  if (c.is_monolithic) return {0};
  std::map<std::string, size_t> writer;
  for (size_t i = 1; i < m.callables.size(); ++i) {
    for (const Port& port : m.callables[i].outputs) writer[port.name] = i;
  }
  const auto is_stale = [&](size_t i) {
    for (const std::string& name : m.callables[i].dependencies) {
      for (size_t x = 0; x < m.inputs.size(); ++x) {
        if (m.inputs[x].port.name == name && (mask >> x & 1) != 0) return true;
      }
    }
    return false;
  };
  std::set<size_t> out;
  std::function<void(size_t)> execute = [&](size_t i) {
    if (!out.insert(i).second) return;
    for (const Port& port : m.callables[i].inputs) {
      const auto it = writer.find(port.name);
      if (it == writer.end()) continue;
      if (is_stale(it->second) || !c.retained.contains(port.name)) execute(it->second);
    }
  };
  for (size_t o = 0; o < m.outputs.size(); ++o) {
    const std::string& port = m.outputs[o].port.name;
    const size_t i = writer.at(port);
    if ((results >> o & 1) != 0 && (is_stale(i) || !c.retained.contains(port))) execute(i);
  }
  for (size_t i = 1; i < m.callables.size(); ++i) {
    if (!m.callables[i].assertions.empty() && is_stale(i)) execute(i);
  }
  return out;
}

size_t given_inputs(const Manifest& m) {
  return static_cast<size_t>(std::count_if(m.inputs.begin(), m.inputs.end(),
                                           [](const auto& i) { return i.fixed_value.empty(); }));
}

double steady(const Manifest& m, const std::set<size_t>& runs) {
  double sum = 0;
  for (size_t i : runs) sum += m.callables[i].costs.steady_us;
  return sum;
}

// By change mask, then by result with everything changed.
std::vector<double> times_of(const Manifest& m, const Candidate& c) {
  const uint32_t all_results = (1u << m.outputs.size()) - 1;
  const uint32_t all_inputs = (1u << given_inputs(m)) - 1;
  std::vector<double> out;
  for (uint32_t mask = 1; mask <= all_inputs; ++mask) {
    out.push_back(steady(m, runs_of(m, c, mask, all_results)));
  }
  for (size_t o = 0; o < m.outputs.size(); ++o) {
    out.push_back(steady(m, runs_of(m, c, all_inputs, 1u << o)));
  }
  return out;
}

bool no_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

Candidate candidate_of(const Strategy& s) {
  return {s.name == "monolithic", {s.retained.begin(), s.retained.end()}, s.retained_bytes};
}

constexpr int kCases = 1500;

TEST(StrategyProperties, EveryEmittedOneIsParetoOptimalOrMonolithic) {
  std::mt19937 random(1);
  size_t emitted = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const StrategySet set = choose_strategies(c.manifest, c.classes, {.max_strategies = 1000});
    const std::vector<Candidate> candidates = all_candidates(c);
    ASSERT_EQ(set.candidates, candidates.size());
    ASSERT_EQ(set.strategies.size() + set.rejections.size(), candidates.size());
    ASSERT_EQ(set.strategies[0].name, "monolithic");
    size_t slower_than_main = 0;
    for (size_t s = 1; s < set.strategies.size(); ++s) {
      const Candidate own = candidate_of(set.strategies[s]);
      const std::vector<double> times = times_of(c.manifest, own);
      for (const Candidate& other : candidates) {
        const std::vector<double> others = times_of(c.manifest, other);
        const bool beats = other.bytes <= own.bytes && no_worse(others, times) &&
                           (other.bytes < own.bytes || others != times);
        if (beats && other.is_monolithic) {
          ++slower_than_main;  // the fastest of the segments' may be
          continue;
        }
        ASSERT_FALSE(beats) << set.strategies[s].name << " in case " << i;
      }
      ++emitted;
    }
    ASSERT_LE(slower_than_main, 1u) << "case " << i;
  }
  EXPECT_GT(emitted, 1000u) << "the sample is too plain";
}

TEST(StrategyProperties, WhatIsWrittenInMaskCostsIsWhatTheDefinitionRuns) {
  std::mt19937 random(2);
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const uint32_t all_results = (1u << c.manifest.outputs.size()) - 1;
    for (const Strategy& s : choose_strategies(c.manifest, c.classes, {}).strategies) {
      ASSERT_EQ(s.mask_costs.size(), (size_t{1} << given_inputs(c.manifest)) - 1);
      for (const MaskCost& cost : s.mask_costs) {
        uint32_t mask = 0;
        for (size_t x = 0; x < c.manifest.inputs.size(); ++x) {
          for (const std::string& name : cost.changed) {
            if (name == c.manifest.inputs[x].port.name) mask |= 1u << x;
          }
        }
        const std::set<size_t> runs = runs_of(c.manifest, candidate_of(s), mask, all_results);
        std::vector<std::string> expected;
        for (size_t r : runs) expected.push_back(c.manifest.callables[r].name);
        ASSERT_EQ(cost.runs, expected) << s.name;
        ASSERT_EQ(cost.steady_us, steady(c.manifest, runs));
      }
    }
  }
}

// Each cost of a request under each set of resident callables: what runs, and the loading of what
// is not resident.
double with_loading(const Manifest& m, const std::set<size_t>& runs, uint32_t resident) {
  double sum = 0;
  for (size_t i : runs) {
    const CallableCosts& costs = m.callables[i].costs;
    const bool loaded = (resident >> i & 1) != 0;
    sum += loaded ? costs.steady_us + costs.p95_us : costs.load_us + costs.cold_us;
  }
  return sum;
}

void expect_no_worse_anywhere(const Manifest& m, const Candidate& a, const Candidate& b) {
  ASSERT_EQ(a.is_monolithic, b.is_monolithic);
  ASSERT_LE(a.bytes, b.bytes);
  for (uint32_t mask = 1; mask < 1u << given_inputs(m); ++mask) {
    for (uint32_t results = 1; results < 1u << m.outputs.size(); ++results) {
      const std::set<size_t> of_a = runs_of(m, a, mask, results);
      const std::set<size_t> of_b = runs_of(m, b, mask, results);
      for (uint32_t resident = 0; resident < 1u << m.callables.size(); ++resident) {
        ASSERT_LE(with_loading(m, of_a, resident), with_loading(m, of_b, resident));
      }
    }
  }
}

bool is_same(const Candidate& a, const Candidate& b) {
  return a.is_monolithic == b.is_monolithic && a.retained == b.retained && a.bytes == b.bytes;
}

// Those turned down, in the order of the candidates: the first of equal candidates stays.
std::vector<Candidate> turned_down(const Case& c, const StrategySet& set) {
  std::vector<Candidate> kept;
  for (const Strategy& s : set.strategies) kept.push_back(candidate_of(s));
  std::vector<Candidate> out;
  for (const Candidate& candidate : all_candidates(c)) {
    const auto it = std::find_if(kept.begin(), kept.end(),
                                 [&](const Candidate& k) { return is_same(k, candidate); });
    if (it == kept.end()) {
      out.push_back(candidate);
    } else {
      kept.erase(it);
    }
  }
  return out;
}

void check_rejection(const Manifest& m, const Candidate& better, const Candidate& worse,
                     const std::string& reason) {
  ASSERT_LE(better.bytes, worse.bytes) << reason;
  ASSERT_TRUE(no_worse(times_of(m, better), times_of(m, worse))) << reason;
  if (reason.find("runs nothing more") != std::string::npos || reason.rfind("the same", 0) == 0) {
    expect_no_worse_anywhere(m, better, worse);
  }
  if (reason.rfind("the same", 0) == 0) expect_no_worse_anywhere(m, worse, better);
}

TEST(StrategyProperties, EveryRemovedOneIsDominatedByTheOneNamed) {
  std::mt19937 random(3);
  std::map<std::string, int> seen;
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const StrategySet set = choose_strategies(c.manifest, c.classes, {.max_strategies = 1000});
    const std::vector<Candidate> removed = turned_down(c, set);
    ASSERT_EQ(removed.size(), set.rejections.size());
    for (size_t r = 0; r < removed.size(); ++r) {
      const std::string& reason = set.rejections[r].reason;
      ++seen[reason.substr(0, 8) +
             (reason.find("runs nothing more") != std::string::npos ? "r" : "")];
      bool found = false;
      for (const Strategy& s : set.strategies) {
        if (reason.find("'" + s.name + "'") == std::string::npos) continue;
        check_rejection(c.manifest, candidate_of(s), removed[r], reason);
        if (testing::Test::HasFatalFailure()) return;
        found = true;
      }
      ASSERT_TRUE(found) << "the one named is not kept: " << reason;
    }
  }
  EXPECT_GT(seen["dominate"], 100);
  EXPECT_GT(seen["dominater"], 100);
  EXPECT_GT(seen["the same"], 100);
}

// Time that is best for a budget and a change.
std::vector<double> best_times(const Manifest& m, const std::vector<Candidate>& candidates,
                               uint64_t budget) {
  std::vector<double> best = times_of(m, candidates[0]);
  for (const Candidate& c : candidates) {
    if (c.bytes > budget) continue;
    const std::vector<double> times = times_of(m, c);
    for (size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], times[i]);
  }
  return best;
}

TEST(StrategyProperties, PruningLosesNoTimeForAnyBudgetAndChange) {
  std::mt19937 random(4);
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const std::vector<Candidate> all = all_candidates(c);
    std::vector<Candidate> kept;
    for (const Strategy& s :
         choose_strategies(c.manifest, c.classes, {.max_strategies = 1000}).strategies) {
      kept.push_back(candidate_of(s));
    }
    for (const Candidate& budget : all) {
      ASSERT_EQ(best_times(c.manifest, kept, budget.bytes),
                best_times(c.manifest, all, budget.bytes));
    }
  }
}

TEST(StrategyProperties, LimitsHoldAndTheFirstOfTheFewAreMonolithicAndTheLargest) {
  std::mt19937 random(5);
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const StrategyOptions few{.max_strategies = 1 + random() % 4,
                              .retained_budget_bytes = random() % 40};
    StrategyOptions many = few;
    many.max_strategies = 1000;
    const StrategySet some = choose_strategies(c.manifest, c.classes, few);
    const StrategySet all = choose_strategies(c.manifest, c.classes, many);
    ASSERT_EQ(some.strategies.size(), std::min(few.max_strategies, all.strategies.size()));
    ASSERT_EQ(some.strategies[0].name, "monolithic");
    ASSERT_LE(some.strategies.back().retained_bytes, few.retained_budget_bytes);
    if (few.max_strategies > 1) {
      ASSERT_EQ(some.strategies.back().retained_bytes, all.strategies.back().retained_bytes);
    }
    ASSERT_TRUE(std::is_sorted(
        some.strategies.begin(), some.strategies.end(),
        [](const Strategy& a, const Strategy& b) { return a.retained_bytes < b.retained_bytes; }));
    std::set<std::string> names;
    for (const Strategy& s : some.strategies) ASSERT_TRUE(names.insert(s.name).second);
  }
}

}  // namespace
}  // namespace changeaware
