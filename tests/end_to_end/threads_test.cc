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

}  // namespace
}  // namespace changeaware::testing
