// One session from many threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

TEST(Threads, EveryAnswerEqualsItsSerialOne) {
  const CompiledProgram program(R"(graph(%image: f32[16, 256], %point: f32[1, 256]) {
    %w = constant f32[1024, 256] "w"
    %b = constant f32[1] {0.5}
    %p: f32[16, 1024] = aten.linear.default(%image, %w)
    %f: f32[16, 1024] = aten.add.Tensor(%p, %b)
    %q: f32[1, 1024] = aten.linear.default(%point, %w)
    %o: f32[16, 1] = aten.linear.default(%f, %q)
    return (%o)
  })",
                                {{"image", noise({16, 256}, 1)}, {"point", noise({1, 256}, 2)}});
  constexpr unsigned kImages = 3;
  constexpr unsigned kPoints = 4;
  const auto inputs_for = [](unsigned image, unsigned point) {
    return Inputs{{"image", noise({16, 256}, image)}, {"point", noise({1, 256}, 100 + point)}};
  };
  std::vector<std::vector<OutputValue>> expected;
  for (unsigned i = 0; i < kImages * kPoints; ++i)
    expected.push_back(program.full_run(inputs_for(i / kPoints, i % kPoints)));

  // Room for two images: entries come and go under the threads.
  const auto session = program.session(2 * 16 * 1024 * 4 + 100);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 60; ++i) {
        const unsigned pick = (i * 7 + t * 5) % (kImages * kPoints);
        const auto response = session->run({.inputs = inputs_for(pick / kPoints, pick % kPoints)});
        if (!response.ok() || !bit_identical(response->outputs[0].tensor, expected[pick][0].tensor))
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const SessionStats stats = session->stats();
  EXPECT_EQ(stats.requests, 480u);
  EXPECT_EQ(stats.failed, 0u);
  EXPECT_LE(stats.retained_bytes_peak, uint64_t{2 * 16 * 1024 * 4 + 100});
}

// One image, eight clients with points of their own, all at once: the image side runs once.
TEST(Threads, WhatSeveralRequestsMissIsComputedOnce) {
  const CompiledProgram program(R"(graph(%image: f32[256, 1024], %point: f32[1, 1024]) {
    %w = constant f32[1024, 1024] "w"
    %v = constant f32[1024, 1024] "v"
    %p: f32[256, 1024] = aten.linear.default(%image, %w)
    %f: f32[256, 1024] = aten.cos.default(%p)
    %q: f32[1, 1024] = aten.linear.default(%point, %v)
    %o: f32[256, 1] = aten.linear.default(%f, %q)
    return (%o, %f)
  })",
                                {{"image", noise({256, 1024}, 1)}, {"point", noise({1, 1024}, 2)}});
  const auto session = program.session();
  ASSERT_TRUE(session->load().ok());
  for (unsigned image = 0; image < 5; ++image) {
    std::atomic<int> failed = 0;
    std::vector<Response> responses(8);
    std::vector<std::thread> threads;
    const auto inputs_for = [&](unsigned t) {
      return Inputs{{"image", noise({256, 1024}, image)}, {"point", noise({1, 1024}, 100 + t)}};
    };
    for (unsigned t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        auto answer = session->run({.inputs = inputs_for(t)});
        if (answer.ok()) responses[t] = *std::move(answer);
        if (!answer.ok()) ++failed;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(failed, 0);
    EXPECT_EQ(session->stats().runs.at("segment_image"), image + 1u);
    for (unsigned t = 0; t < 8; ++t) {
      expect_identical(responses[t].outputs, program.full_run(inputs_for(t)));
      for (unsigned other = 0; other < t; ++other) {
        EXPECT_NE(responses[t].outputs[1].tensor.data(), responses[other].outputs[1].tensor.data())
            << "outputs are the caller's own";
      }
    }
  }
}

TEST(Threads, ACancelledRequestRetainsNothingAndTheNextIsRight) {
  const CompiledProgram program(R"(graph(%x: f32[1, 64], %y: f32[1, 64]) {
    %w = constant f32[64, 64] "w"
    %a: f32[1, 64] = aten.linear.default(%x, %w)
    %b: f32[1, 64] = aten.add.Tensor(%a, %y)
    return (%b)
  })",
                                {{"x", noise({1, 64}, 1)}, {"y", noise({1, 64}, 2)}});
  const auto session = program.session();
  const Inputs inputs = {{"x", noise({1, 64}, 3)}, {"y", noise({1, 64}, 4)}};
  Request late{.inputs = inputs, .deadline = std::chrono::steady_clock::now()};
  const auto expired = session->run(late);
  EXPECT_EQ(expired.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(expired.status().message(), "the deadline has passed");
  std::stop_source stop;
  stop.request_stop();
  Request stopped{.inputs = inputs, .stop = stop.get_token()};
  EXPECT_EQ(session->run(stopped).status().message(), "the caller asked to stop");
  EXPECT_EQ(session->stats().retained_bytes, 0u);
  EXPECT_TRUE(session->stats().runs.empty());
  expect_identical(run(*session, inputs).outputs, program.full_run(inputs));
  Request in_time{.inputs = inputs,
                  .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
  EXPECT_TRUE(session->run(in_time).ok());
}

}  // namespace
}  // namespace changeaware::testing
