#include "runtime/residency/resident_account.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <thread>

namespace changeaware {
namespace {

// Callables of a process whose memory is a number.
struct Simulation {
  explicit Simulation(size_t callables)
      : held(callables, 0),
        account(
            callables,
            [this](size_t i) {
              process -= held[i];
              held[i] = 0;
              released.push_back(i);
            },
            [this] { return process; }) {}

  static LoadEstimate estimate(uint64_t bytes, double load_us = 1) {
    return {"tower", bytes, bytes, load_us};
  }

  Status load(size_t i, uint64_t estimated, uint64_t real, uint64_t budget, double load_us = 1) {
    auto load = account.acquire(i, estimate(estimated, load_us), budget);
    if (!load.ok()) return load.status();
    EXPECT_TRUE(load->has_value());
    process += real;
    held[i] = real;
    const Status status = (*load)->finish();
    if (!status.ok()) {
      process -= real;
      held[i] = 0;
    }
    return status;
  }

  uint64_t process = 1000;
  std::vector<uint64_t> held;
  std::vector<size_t> released;
  ResidentAccount account;
};

TEST(ResidentAccount, TheLargerOfEstimateAndGrowthIsBooked) {
  Simulation s(3);
  ASSERT_TRUE(s.load(0, 100, 70, 1000).ok());
  s.account.unpin(0);
  EXPECT_EQ(s.account.bytes(0), 100u);
  ASSERT_TRUE(s.load(1, 100, 130, 1000).ok());
  EXPECT_EQ(s.account.bytes(1), 130u);
  EXPECT_EQ(s.account.totals().bytes, 230u);
}

TEST(ResidentAccount, GrowthWhileSomethingMayHaveRunIsNotUsed) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 100, 1000).ok());
  ASSERT_TRUE(s.load(1, 100, 500, 1000).ok());  // 0 is pinned
  EXPECT_EQ(s.account.bytes(1), 100u);
}

TEST(ResidentAccount, WhatWasFoundIsTheEstimateOfTheNextLoad) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 10, 300, 1000).ok());
  s.account.unpin(0);
  s.account.release_unpinned();
  EXPECT_EQ(s.account.totals().bytes, 0u);
  EXPECT_EQ(s.account.expected_bytes(0, Simulation::estimate(10)), 300u);
  const Status status = s.load(0, 10, 300, 200);
  EXPECT_EQ(status.code(), StatusCode::kOverBudget);
  EXPECT_NE(status.message().find("'tower'"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("300"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("200"), std::string::npos) << status.message();
}

TEST(ResidentAccount, ThePeakWhileLoadingIsReservedAndThenGivenBack) {
  Simulation s(2);
  LoadEstimate estimate{"tower", 100, 150, 1};
  EXPECT_EQ(s.account.acquire(0, estimate, 149).status().code(), StatusCode::kOverBudget);
  auto load = s.account.acquire(0, estimate, 150);
  ASSERT_TRUE(load.ok() && load->has_value());
  EXPECT_EQ(s.account.totals().bytes, 150u);
  ASSERT_TRUE((*load)->finish().ok());
  EXPECT_EQ(s.account.totals().bytes, 100u);
  EXPECT_EQ(s.account.totals().peak_bytes, 150u);
}

TEST(ResidentAccount, AFailedLoadGivesItsBytesBack) {
  Simulation s(2);
  {
    const auto load = s.account.acquire(0, Simulation::estimate(100), 100);
    ASSERT_TRUE(load.ok());
    EXPECT_FALSE(s.account.pin(0));
  }
  EXPECT_EQ(s.account.totals().bytes, 0u);
  EXPECT_EQ(s.account.totals().failed_loads, 1u);
  EXPECT_TRUE(s.load(0, 100, 100, 100).ok());
}

TEST(ResidentAccount, SeveralAreLoadedAtOnceWithinOneBudget) {
  Simulation s(3);
  auto first = s.account.acquire(0, Simulation::estimate(100), 250);
  auto second = s.account.acquire(1, Simulation::estimate(100), 250);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(s.account.acquire(2, Simulation::estimate(100), 250).status().code(),
            StatusCode::kOverBudget);
  s.process += 240;  // whose it is cannot be told
  ASSERT_TRUE((*first)->finish().ok());
  ASSERT_TRUE((*second)->finish().ok());
  EXPECT_EQ(s.account.totals().bytes, 200u);
}

TEST(ResidentAccount, WhoWantsWhatAnotherLoadsWaitsAndGetsIt) {
  Simulation s(1);
  auto load = s.account.acquire(0, Simulation::estimate(100), 100);
  ASSERT_TRUE(load.ok() && load->has_value());
  std::atomic<bool> got = false;
  std::thread other([&] {
    const auto same = s.account.acquire(0, Simulation::estimate(100), 100);
    got = same.ok() && !same->has_value();
  });
  ASSERT_TRUE((*load)->finish().ok());
  other.join();
  EXPECT_TRUE(got);
  s.account.unpin(0);
  s.account.unpin(0);
}

TEST(ResidentAccount, WhatTurnsOutTooLargeIsGivenBack) {
  Simulation s(2);
  const Status status = s.load(0, 100, 250, 200);
  EXPECT_EQ(status.code(), StatusCode::kOverBudget);
  EXPECT_EQ(s.account.totals().bytes, 0u);
  EXPECT_FALSE(s.account.is_resident(0));
}

TEST(ResidentAccount, TheCheapestToBringBackPerByteGoesFirst) {
  Simulation s(3);
  ASSERT_TRUE(s.load(0, 100, 100, 250, 1000).ok());
  s.account.unpin(0);
  ASSERT_TRUE(s.load(1, 100, 100, 250, 10).ok());
  s.account.unpin(1);
  ASSERT_TRUE(s.load(2, 100, 100, 250, 10).ok());
  EXPECT_EQ(s.released, std::vector<size_t>{1});
  EXPECT_FALSE(s.account.is_resident(1));
  EXPECT_TRUE(s.account.is_resident(0));
}

TEST(ResidentAccount, ThePinnedStayAndNothingIsReleasedForWhatCannotFit) {
  Simulation s(3);
  ASSERT_TRUE(s.load(0, 100, 100, 200).ok());
  ASSERT_TRUE(s.load(1, 50, 50, 200).ok());
  s.account.unpin(1);
  EXPECT_EQ(s.load(2, 150, 150, 200).code(), StatusCode::kOverBudget);
  EXPECT_TRUE(s.released.empty());
  s.account.unpin(0);
  EXPECT_TRUE(s.load(2, 150, 150, 200).ok());
}

TEST(ResidentAccount, MoreBytesAfterTheFirstRunAreBookedAndMakeRoom) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 100, 300).ok());
  s.account.unpin(0);
  ASSERT_TRUE(s.load(1, 100, 100, 300).ok());
  ASSERT_TRUE(s.account.recalibrate(1, 250, 300).ok());
  EXPECT_EQ(s.released, std::vector<size_t>{0});
  EXPECT_EQ(s.account.bytes(1), 250u);
  EXPECT_EQ(s.account.recalibrate(1, 301, 300).code(), StatusCode::kOverBudget);
  EXPECT_EQ(s.account.bytes(1), 250u);
}

TEST(ResidentAccount, TheBudgetHoldsUnderRandomLoadsPinsAndFailures) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    constexpr size_t kCallables = 8;
    constexpr uint64_t kBudget = 1000;
    Simulation s(kCallables);
    std::vector<uint64_t> pins(kCallables, 0);
    const auto any = [&](uint32_t n) { return static_cast<uint64_t>(random() % n); };
    for (int step = 0; step < 400; ++step) {
      const auto i = static_cast<size_t>(any(kCallables));
      if (any(3) == 0 && pins[i] > 0) {
        s.account.unpin(i);
        --pins[i];
      } else if (s.account.pin(i)) {
        ++pins[i];
      } else if (any(4) == 0) {
        const auto failing = s.account.acquire(
            i, Simulation::estimate(1 + any(600), static_cast<double>(any(50))), kBudget);
        EXPECT_LE(s.account.totals().bytes, kBudget);
      } else if (s.load(i, 1 + any(600), 1 + any(600), kBudget, static_cast<double>(any(50)))
                     .ok()) {
        ++pins[i];
      }
      const auto totals = s.account.totals();
      ASSERT_LE(totals.peak_bytes, kBudget) << "seed " << seed << " step " << step;
      uint64_t sum = 0;
      for (size_t k = 0; k < kCallables; ++k) {
        sum += s.account.bytes(k);
        ASSERT_EQ(s.account.is_resident(k), s.held[k] > 0) << "seed " << seed << " step " << step;
        ASSERT_TRUE(pins[k] == 0 || s.account.is_resident(k));
      }
      ASSERT_EQ(totals.bytes, sum);
    }
    for (size_t k = 0; k < kCallables; ++k) {
      for (; pins[k] > 0; --pins[k]) s.account.unpin(k);
    }
    s.account.release_unpinned();
    EXPECT_EQ(s.account.totals().bytes, 0u);
    EXPECT_EQ(s.process, 1000u);
  }
}

TEST(ResidentAccount, TheBudgetHoldsWithManyThreads) {
  constexpr size_t kCallables = 6;
  constexpr uint64_t kBudget = 250;
  std::vector<std::atomic<int>> alive(kCallables);
  ResidentAccount account(
      kCallables, [&](size_t i) { alive[i] = 0; }, [] { return uint64_t{0}; });
  std::atomic<int> faults = 0;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int step = 0; step < 2000; ++step) {
        const auto i = static_cast<size_t>(random() % kCallables);
        auto load = account.acquire(i, {"c", 100, 110, 1}, kBudget);
        if (!load.ok()) continue;
        if (load->has_value()) {
          alive[i] = 1;
          if (random() % 5 == 0) {
            alive[i] = 0;
            continue;
          }
          if (!(*load)->finish().ok()) ++faults;
        }
        if (alive[i] != 1) ++faults;
        account.unpin(i);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(faults, 0);
  EXPECT_LE(account.totals().peak_bytes, kBudget);
  account.release_unpinned();
  EXPECT_EQ(account.totals().bytes, 0u);
}

TEST(ResidentAccount, TheProcessSaysHowMuchItHas) {
  EXPECT_GT(ResidentAccount::anonymous_bytes(), uint64_t{1} << 16);
}

}  // namespace
}  // namespace changeaware
