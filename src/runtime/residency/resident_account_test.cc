#include "runtime/residency/resident_account.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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
    auto load = account.try_acquire(i, estimate(estimated, load_us), budget);
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
  EXPECT_EQ(s.account.expected_bytes(0, Simulation::estimate(10), 1000), 300u);
}

TEST(ResidentAccount, AMeasurementRefusesNothingThatFitsByItsEstimate) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 10, 300, 1000).ok());
  s.account.unpin(0);
  ASSERT_TRUE(s.load(1, 10, 10, 1000).ok());
  s.account.unpin(1);
  s.account.release_unpinned();
  ASSERT_TRUE(s.load(1, 10, 10, 200).ok());
  s.account.unpin(1);
  ASSERT_TRUE(s.load(0, 10, 300, 200).ok()) << "it may have been the application that grew";
  EXPECT_EQ(s.account.bytes(0), 200u) << "all of the budget";
  EXPECT_FALSE(s.account.is_resident(1));
  EXPECT_EQ(s.load(1, 300, 300, 200).code(), StatusCode::kOverBudget) << "an estimate refuses";
}

TEST(ResidentAccount, ThePeakWhileLoadingIsReservedAndThenGivenBack) {
  Simulation s(2);
  LoadEstimate estimate{"tower", 100, 150, 1};
  EXPECT_EQ(s.account.try_acquire(0, estimate, 149).status().code(), StatusCode::kOverBudget);
  auto load = s.account.try_acquire(0, estimate, 150);
  ASSERT_TRUE(load.ok() && load->has_value());
  EXPECT_EQ(s.account.totals().bytes, 150u);
  ASSERT_TRUE((*load)->finish().ok());
  EXPECT_EQ(s.account.totals().bytes, 100u);
  EXPECT_EQ(s.account.totals().peak_bytes, 150u);
}

TEST(ResidentAccount, AFailedLoadGivesItsBytesBack) {
  Simulation s(2);
  {
    const auto load = s.account.try_acquire(0, Simulation::estimate(100), 100);
    ASSERT_TRUE(load.ok());
    EXPECT_FALSE(s.account.pin(0));
  }
  EXPECT_EQ(s.account.totals().bytes, 0u);
  EXPECT_EQ(s.account.totals().failed_loads, 1u);
  EXPECT_TRUE(s.load(0, 100, 100, 100).ok());
}

TEST(ResidentAccount, SeveralAreLoadedAtOnceWithinOneBudget) {
  Simulation s(3);
  auto first = s.account.try_acquire(0, Simulation::estimate(100), 250);
  auto second = s.account.try_acquire(1, Simulation::estimate(100), 250);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(s.account.try_acquire(2, Simulation::estimate(100), 250).status().code(),
            StatusCode::kOverBudget);
  s.process += 240;  // whose it is cannot be told
  ASSERT_TRUE((*first)->finish().ok());
  ASSERT_TRUE((*second)->finish().ok());
  EXPECT_EQ(s.account.totals().bytes, 200u);
}

TEST(ResidentAccount, WhoWantsWhatAnotherLoadsWaitsAndGetsIt) {
  Simulation s(1);
  auto load = s.account.try_acquire(0, Simulation::estimate(100), 100);
  ASSERT_TRUE(load.ok() && load->has_value());
  std::atomic<bool> got = false;
  std::thread other([&] {
    const auto same = s.account.acquire(0, Simulation::estimate(100), 100, {});
    got = same.ok() && !same->has_value();
  });
  ASSERT_TRUE((*load)->finish().ok());
  other.join();
  EXPECT_TRUE(got);
  s.account.unpin(0);
  s.account.unpin(0);
}

TEST(ResidentAccount, WhatTurnsOutLargerThanTheBudgetHasAllOfIt) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 250, 200).ok());
  EXPECT_EQ(s.account.bytes(0), 200u);
  EXPECT_EQ(s.account.totals().peak_bytes, 200u);
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
        const auto failing = s.account.try_acquire(
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
        const bool waits = random() % 2 == 0;
        auto load = waits ? account.acquire(i, {"c", 100, 110, 1}, kBudget, {})
                          : account.try_acquire(i, {"c", 100, 110, 1}, kBudget);
        if (waits && !load.ok()) ++faults;
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

// A thread in acquire(), which is stopped at the end if it still waits.
class Asking {
 public:
  Asking(ResidentAccount& account, size_t callable, uint64_t bytes, uint64_t budget,
         std::optional<Clock::time_point> deadline = std::nullopt)
      : account_(account), before_(account.totals().waiting) {
    thread_ = std::jthread([=, this](const std::stop_token& stop) {
      auto load = account_.acquire(callable, {"tower", bytes, bytes, 1}, budget, {stop, deadline});
      status_ = load.status();
      if (load.ok() && load->has_value()) status_ = (*load)->finish();
      is_over_ = true;
    });
  }
  // Until it stands in line.
  void wait_in_line() const {
    while (account_.totals().waiting <= before_ && !is_over_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool is_over() const { return is_over_; }
  Status stop() {
    thread_.request_stop();
    return outcome();
  }
  Status outcome() {
    if (thread_.joinable()) thread_.join();
    return status_;
  }

 private:
  ResidentAccount& account_;
  const uint64_t before_;
  Status status_;
  std::atomic<bool> is_over_ = false;
  std::jthread thread_;
};

TEST(ResidentAccount, WhoFindsNoRoomWaitsForAnUnpin) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 100, 150).ok());
  Asking other(s.account, 1, 100, 150);
  other.wait_in_line();
  EXPECT_FALSE(other.is_over());
  EXPECT_TRUE(s.released.empty()) << "nothing is released before it is enough";
  s.account.unpin(0);
  EXPECT_TRUE(other.outcome().ok());
  EXPECT_EQ(s.released, std::vector<size_t>{0});
  EXPECT_LE(s.account.totals().peak_bytes, 150u);
  EXPECT_EQ(s.account.totals().waiting, 0u);
}

TEST(ResidentAccount, WhoFindsNoRoomWaitsForALoadThatFails) {
  Simulation s(2);
  auto load = s.account.try_acquire(0, Simulation::estimate(100), 150);
  ASSERT_TRUE(load.ok());
  Asking other(s.account, 1, 100, 150);
  other.wait_in_line();
  { const auto abandoned = *std::move(load); }
  EXPECT_TRUE(other.outcome().ok());
}

TEST(ResidentAccount, WhatCannotFitAloneDoesNotWait) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 100, 150).ok());
  const auto refused = s.account.acquire(1, Simulation::estimate(151), 150, {});
  EXPECT_EQ(refused.status().code(), StatusCode::kOverBudget);
  EXPECT_NE(refused.status().message().find("'tower' needs 151"), std::string::npos);
}

TEST(ResidentAccount, WaitingEndsAtTheDeadlineAndWhenAsked) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 100, 100, 150).ok());
  Asking late(s.account, 1, 100, 150, Clock::now() + std::chrono::milliseconds(5));
  EXPECT_EQ(late.outcome().code(), StatusCode::kCancelled);
  Asking stopped(s.account, 1, 100, 150);
  stopped.wait_in_line();
  EXPECT_EQ(stopped.stop().code(), StatusCode::kCancelled);
  EXPECT_EQ(s.account.totals().waiting, 0u);
  EXPECT_EQ(s.account.totals().bytes, 100u);
  s.account.unpin(0);
  EXPECT_TRUE(s.load(1, 100, 100, 150).ok()) << "nothing of them is left";
}

TEST(ResidentAccount, WaitingForAnothersLoadEndsWhenAsked) {
  Simulation s(1);
  const auto load = s.account.try_acquire(0, Simulation::estimate(100), 150);
  ASSERT_TRUE(load.ok());
  Asking other(s.account, 0, 100, 150);
  other.wait_in_line();
  EXPECT_EQ(other.stop().code(), StatusCode::kCancelled);
}

// Two that take turns in pinning a small callable do not keep a large one out.
TEST(ResidentAccount, ThoseThatComeLaterStandBehindTheOneThatWaitsForRoom) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 50, 50, 100).ok());
  Asking large(s.account, 1, 100, 100);
  large.wait_in_line();
  Asking small(s.account, 0, 50, 100);
  small.wait_in_line();
  EXPECT_FALSE(small.is_over()) << "though it is resident";
  EXPECT_FALSE(s.account.try_acquire(0, Simulation::estimate(50), 100).ok());
  s.account.unpin(0);
  EXPECT_TRUE(large.outcome().ok());
  s.account.unpin(1);
  EXPECT_TRUE(small.outcome().ok());
  EXPECT_EQ(s.released, (std::vector<size_t>{0, 1}));
}

TEST(ResidentAccount, WhoGivesUpItsPlaceLetsTheNextOneOn) {
  Simulation s(2);
  ASSERT_TRUE(s.load(0, 50, 50, 100).ok());
  Asking large(s.account, 1, 100, 100);
  large.wait_in_line();
  Asking small(s.account, 0, 50, 100);
  small.wait_in_line();
  EXPECT_EQ(large.stop().code(), StatusCode::kCancelled);
  EXPECT_TRUE(small.outcome().ok());
}

TEST(ResidentAccount, WhoWaitsForAnothersLoadHoldsNobodyUp) {
  Simulation s(2);
  auto load = s.account.try_acquire(0, Simulation::estimate(50), 100);
  ASSERT_TRUE(load.ok());
  Asking same(s.account, 0, 50, 100);
  same.wait_in_line();
  EXPECT_TRUE(s.load(1, 50, 50, 100).ok());
  ASSERT_TRUE((*load)->finish().ok());
  EXPECT_TRUE(same.outcome().ok());
}

TEST(ResidentAccount, TheProcessSaysHowMuchItHas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_EQ(ResidentAccount::anonymous_bytes(), 0u) << "a sanitizer's memory is not a callable's";
#else
  EXPECT_GT(ResidentAccount::anonymous_bytes(), uint64_t{1} << 16);
#endif
}

}  // namespace
}  // namespace changeaware
