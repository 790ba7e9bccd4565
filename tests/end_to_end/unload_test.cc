// Case D1: memory comes back, by the operating system's count.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "end_to_end/compiled_program.h"
#include "end_to_end/process_memory.h"

namespace changeaware::testing {
namespace {

constexpr unsigned kPieces = 3;
constexpr uint64_t kWeightBytes = uint64_t{kPieces} * 4096 * 4096 * 4;
constexpr uint64_t kMargin = kWeightBytes / 10;

constexpr const char* kThreePieces =
    R"(graph(%x: f32[1, 4096], %y: f32[1, 4096], %z: f32[1, 4096]) {
  %u = constant f32[4096, 4096] "u"
  %v = constant f32[4096, 4096] "v"
  %w = constant f32[4096, 4096] "w"
  %a: f32[1, 4096] = aten.linear.default(%x, %u)
  %b: f32[1, 4096] = aten.linear.default(%y, %v)
  %c: f32[1, 4096] = aten.linear.default(%z, %w)
  return (%a, %b, %c)
})";

constexpr const char* kSmall = R"(graph(%x: f32[1, 64], %y: f32[1, 64]) {
  %w = constant f32[64, 64] "w"
  %a: f32[1, 64] = aten.linear.default(%x, %w)
  %b: f32[1, 64] = aten.add.Tensor(%a, %y)
  return (%b)
})";

Inputs inputs_of(unsigned seed) {
  return {{"x", noise({1, 4096}, seed)},
          {"y", noise({1, 4096}, seed + 1)},
          {"z", noise({1, 4096}, seed + 2)}};
}

// Three pieces of 64 MiB of weights each, with the engine's own pages already there: a small
// package has run in this process.
class Unload : public ::testing::TestWithParam<int> {
 protected:
  Unload() : big(kThreePieces, inputs_of(1)) {
    const CompiledProgram small(kSmall, {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}});
    run(*small.session(), {{"x", noise({1, 64}, 3)}, {"y", noise({1, 64}, 4)}});
  }

  std::shared_ptr<const Package> open() const {
    auto package = Package::open(big.path());
    EXPECT_TRUE(package.ok()) << package.status().to_string();
    return package.ok() ? *package : nullptr;
  }
  std::unique_ptr<Session> make_session(const std::shared_ptr<const Package>& package,
                                        uint64_t resident_budget_bytes = UINT64_MAX) const {
    SessionOptions options;
    options.threads = GetParam();
    options.resident_budget_bytes = resident_budget_bytes;
    auto session = Session::create(package, options);
    EXPECT_TRUE(session.ok()) << session.status().to_string();
    return *std::move(session);
  }

  const CompiledProgram big;
};

TEST_P(Unload, TwentyRoundsOfLoadRunAndUnloadEndWhereTheyBegan) {
  const uint64_t baseline = resident_bytes();
  ASSERT_GT(baseline, 0u);
  std::vector<uint64_t> after;
  for (unsigned round = 0; round < 20; ++round) {
    {
      const auto package = open();
      const auto session = make_session(package);
      ASSERT_TRUE(session->load().ok());
      run(*session, inputs_of(round));
      if (!kMemoryIsOurs) continue;
      // While it is loaded, its weights are there, once, and the account says so.
      const uint64_t grown = resident_bytes() - baseline;
      EXPECT_GT(grown, kWeightBytes - kMargin);
      EXPECT_LT(grown, kWeightBytes + kMargin);
      const uint64_t counted = session->stats().resident_bytes;
      EXPECT_LT(std::max(grown, counted) - std::min(grown, counted), kMargin);
    }
    if (!kMemoryIsOurs) continue;
    after.push_back(resident_bytes());
    EXPECT_LT(after.back(), baseline + kMargin) << "round " << round + 1;
  }
  if (kMemoryIsOurs) {
    EXPECT_LT(after.at(19), after.at(1) + kWeightBytes / 50);
  }
}

TEST_P(Unload, SwitchingBetweenPiecesStaysWithinTheBudget) {
  const auto package = open();
  uint64_t one = 0;
  for (const Callable& c : package->manifest().callables) {
    if (c.dependencies == std::vector<std::string>{"x"}) {
      one = std::max(one, c.costs.resident_bytes);
    }
  }
  ASSERT_GE(one, kWeightBytes / kPieces);
  // Room for one and for what loading it takes, not for two.
  const uint64_t budget = one + one / 2;
  const uint64_t baseline = resident_bytes();
  reset_peak();
  std::vector<Response> answers;
  const std::vector<std::string> outputs = {package->manifest().outputs[0].name,
                                            package->manifest().outputs[1].name,
                                            package->manifest().outputs[2].name};
  {
    const auto session = make_session(package, budget);
    for (unsigned i = 0; i < 12; ++i) {
      answers.push_back(run(*session, inputs_of(i), {outputs[i % kPieces]}));
    }
    const SessionStats stats = session->stats();
    EXPECT_EQ(stats.failed, 0u);
    EXPECT_LE(stats.resident_bytes_peak, budget);
    EXPECT_GE(stats.unloads, 11u);
  }
  if (kMemoryIsOurs) {
    // Pages of the mapped file that packing has just read are clean: the system takes them back
    // when it needs them, and where it does not they may all be there for a moment.
    const uint64_t mapped = kWeightBytes / kPieces;
    EXPECT_LT(peak_resident_bytes(), baseline + budget + mapped + kMargin);
    EXPECT_LT(resident_bytes(), baseline + kMargin);
  }
  const auto whole = make_session(package);
  for (unsigned i = 0; i < 12; ++i) {
    const auto right =
        whole->run({.inputs = inputs_of(i), .want = {outputs[i % kPieces]}, .reuse = false});
    ASSERT_TRUE(right.ok()) << right.status().to_string();
    expect_identical(answers[i].outputs, right->outputs);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Unload, ::testing::Values(1, 8));

}  // namespace
}  // namespace changeaware::testing
