// Case C11: eight clients on one package, each with an image of its own and many prompts, under
// small budgets. Every answer equals its serial one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

constexpr unsigned kClients = 8;
constexpr unsigned kRequestsOfEach = 125;  // 1,000 in all
constexpr unsigned kPrompts = 5;
constexpr uint64_t kKeptOfAnImage = 16 * 1024 * 4;
constexpr uint64_t kWeightBytes = 1024 * 768 * 4;  // of either tower

// What is kept of an image, 64 KiB, is read by every prompt.
constexpr const char* kPrompted = R"(graph(%image: f32[16, 768], %prompt: f32[1, 768]) {
  %w = constant f32[1024, 768] "w"
  %v = constant f32[1024, 768] "v"
  %p: f32[16, 1024] = aten.linear.default(%image, %w)
  %f: f32[16, 1024] = aten.cos.default(%p)
  %q: f32[1, 1024] = aten.linear.default(%prompt, %v)
  %o: f32[16, 1] = aten.linear.default(%f, %q)
  return (%o)
})";

Inputs ask(unsigned image, unsigned prompt) {
  return {{"image", noise({16, 768}, image)}, {"prompt", noise({1, 768}, 100 + prompt)}};
}

class Clients : public ::testing::Test {
 protected:
  Clients() : program(kPrompted, ask(50, 50)) {
    for (unsigned image = 0; image < kClients; ++image) {
      for (unsigned prompt = 0; prompt < kPrompts; ++prompt)
        expected.push_back(program.full_run(ask(image, prompt))[0].tensor);
    }
  }

  std::shared_ptr<Session> session(const std::shared_ptr<const Package>& package,
                                   uint64_t retained_bytes,
                                   uint64_t resident_bytes = UINT64_MAX) const {
    SessionOptions options;
    options.threads = 2;
    options.retained_budget_bytes = retained_bytes;
    options.resident_budget_bytes = resident_bytes;
    auto out = Session::create(package, options);
    EXPECT_TRUE(out.ok()) << out.status().to_string();
    return *std::move(out);
  }

  // Each client its own thread, image and session; sessions may be the same.
  void serve(const std::function<std::shared_ptr<Session>(unsigned client)>& session_of) const {
    std::atomic<unsigned> wrong = 0;
    std::vector<Status> failures(kClients);
    std::vector<std::thread> threads;
    for (unsigned client = 0; client < kClients; ++client) {
      threads.emplace_back([&, client] {
        const auto session = session_of(client);
        for (unsigned i = 0; i < kRequestsOfEach; ++i) {
          const unsigned prompt = (i * 3 + client) % kPrompts;
          const auto response = session->run({.inputs = ask(client, prompt)});
          if (!response.ok()) {
            failures[client] = response.status();
          } else if (!bit_identical(response->outputs[0].tensor,
                                    expected[client * kPrompts + prompt])) {
            ++wrong;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
    for (const Status& failure : failures) EXPECT_TRUE(failure.ok()) << failure.to_string();
  }

  static void expect_sound(const Session& session, uint64_t requests, uint64_t retained_budget) {
    const SessionStats stats = session.stats();
    EXPECT_EQ(stats.requests, requests);
    EXPECT_EQ(stats.failed, 0u);
    EXPECT_LE(stats.retained_bytes_peak, retained_budget);
    EXPECT_LE(stats.retained_bytes, stats.retained_bytes_peak);
  }

  const CompiledProgram program;
  std::vector<Tensor> expected;  // by image, then prompt
};

TEST_F(Clients, WithSessionsOfTheirOwnGetTheirSerialAnswers) {
  constexpr uint64_t kBudget = kKeptOfAnImage + 256;
  std::vector<std::shared_ptr<Session>> sessions;
  for (unsigned i = 0; i < kClients; ++i) sessions.push_back(session(program.package(), kBudget));
  serve([&](unsigned client) { return sessions[client]; });
  for (const auto& each : sessions) {
    expect_sound(*each, kRequestsOfEach, kBudget);
    EXPECT_EQ(each->stats().runs.at("segment_image"), 1u) << "the image of one is nobody else's";
  }
}

TEST_F(Clients, OfOneSessionWithRoomForTwoImagesGetTheirSerialAnswers) {
  constexpr uint64_t kBudget = 2 * kKeptOfAnImage + 256;
  const auto shared = session(program.package(), kBudget);
  serve([&](unsigned) { return shared; });
  expect_sound(*shared, kClients * kRequestsOfEach, kBudget);
  EXPECT_GT(shared->stats().evictions, 0u);
  shared->clear();
  EXPECT_EQ(shared->stats().retained_bytes, 0u);
  EXPECT_EQ(shared->stats().retained_entries, 0u);
}

TEST_F(Clients, OfOneSessionThatRetainsNothingGetTheirSerialAnswers) {
  const auto shared = session(program.package(), 0);
  serve([&](unsigned) { return shared; });
  expect_sound(*shared, kClients * kRequestsOfEach, 0);
}

// Callables come and go under the clients: there is room for any one of them and for what loading
// it takes, not for both towers.
TEST_F(Clients, UnderASmallResidentBudgetGetTheirSerialAnswers) {
  const auto package = Package::open(program.path());
  ASSERT_TRUE(package.ok()) << package.status().to_string();
  uint64_t largest = 0;
  for (const Callable& c : (*package)->manifest().callables) {
    if (c.name != "main") largest = std::max(largest, c.costs.resident_bytes);
  }
  ASSERT_GE(largest, uint64_t{kWeightBytes});
  const uint64_t budget = 2 * largest + kWeightBytes / 2;
  const auto shared = session(*package, 2 * kKeptOfAnImage, budget);
  serve([&](unsigned) { return shared; });
  expect_sound(*shared, kClients * kRequestsOfEach, 2 * kKeptOfAnImage);
  EXPECT_LE(shared->stats().resident_bytes_peak, budget);
  EXPECT_GT(shared->stats().unloads, 0u);
}

}  // namespace
}  // namespace changeaware::testing
