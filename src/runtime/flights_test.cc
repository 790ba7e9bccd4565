#include "runtime/flights.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace changeaware {
namespace {

using Key = RetainedCache::Key;

const Key kKey{1, "v"};

std::vector<Tensor> outputs() { return {Tensor::of<float>(DType::kFloat32, {1}, {2})}; }

TEST(Flights, TheFirstLeadsAndLaterOnesTakeWhatItComputed) {
  Flights flights;
  const auto first = flights.join(kKey, {});
  ASSERT_TRUE(first.ok());
  ASSERT_NE(first->lead, nullptr);
  EXPECT_NE(flights.join(Key{1, "w"}, {})->lead, nullptr) << "another key is another flight";
  std::atomic<int> same = 0;
  std::vector<std::thread> threads;
  const auto computed = outputs();
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto joined = flights.join(kKey, {});
      if (joined->lead == nullptr && joined->outputs &&
          (*joined->outputs)[0].data() == computed[0].data())
        ++same;
    });
  }
  flights.land(first->lead, computed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, 4);
  EXPECT_TRUE(flights.close(first->lead)) << "others hold the outputs";
  EXPECT_NE(flights.join(kKey, {})->lead, nullptr) << "after it a new one leads";
}

TEST(Flights, NobodyJoinedNobodyShares) {
  Flights flights;
  const auto first = flights.join(kKey, {});
  flights.land(first->lead, outputs());
  EXPECT_FALSE(flights.close(first->lead));
}

TEST(Flights, AFailedOneGivesNothingAndTheNextLeads) {
  Flights flights;
  const auto first = flights.join(kKey, {});
  std::thread waiting([&] {
    const auto joined = flights.join(kKey, {});
    ASSERT_TRUE(joined.ok());
    if (joined->lead != nullptr) flights.land(joined->lead, std::nullopt);  // came after the end
    EXPECT_FALSE(joined->outputs);
  });
  flights.land(first->lead, std::nullopt);
  waiting.join();
  const auto next = flights.join(kKey, {});
  EXPECT_NE(next->lead, nullptr);
  EXPECT_FALSE(flights.close(first->lead)) << "its key belongs to another flight now";
  flights.land(next->lead, outputs());
  EXPECT_TRUE(flights.join(kKey, {})->outputs);
}

TEST(Flights, WaitingEndsWithTheDeadlineOrTheStop) {
  Flights flights;
  const auto first = flights.join(kKey, {});
  Cancellation late;
  late.deadline = Clock::now();
  EXPECT_EQ(flights.join(kKey, late).status().code(), StatusCode::kCancelled);
  std::stop_source stop;
  Cancellation stoppable;
  stoppable.stop = stop.get_token();
  std::thread waiting(
      [&] { EXPECT_EQ(flights.join(kKey, stoppable).status().code(), StatusCode::kCancelled); });
  stop.request_stop();
  waiting.join();
  flights.land(first->lead, outputs());
  EXPECT_FALSE(flights.close(first->lead)) << "nobody took anything";
}

TEST(Flights, AFlightThatIsClosedBeforeItLandedHasFailed) {
  Flights flights;
  const auto first = flights.join(kKey, {});
  std::thread other([&] {
    const auto joined = flights.join(kKey, {});
    EXPECT_TRUE(joined.ok());
    EXPECT_FALSE(joined->outputs);
    if (joined->lead != nullptr) flights.close(joined->lead);
  });
  flights.close(first->lead);
  other.join();
  EXPECT_NE(flights.join(kKey, {})->lead, nullptr);
}

}  // namespace
}  // namespace changeaware
