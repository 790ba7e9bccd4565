// Everything at once: many threads, several sessions on one package, and budgets so small that
// entries and callables come and go.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTowers = R"(graph(%image: f32[16, 512], %text: f32[8, 512]) {
  %wi = constant f32[1024, 512] "image.weight"
  %wt = constant f32[1024, 512] "text.weight"
  %bias = constant f32[1] {0.25}
  %ip: f32[16, 1024] = aten.linear.default(%image, %wi)
  %if: f32[16, 1024] = aten.add.Tensor(%ip, %bias)
  %tp: f32[8, 1024] = aten.linear.default(%text, %wt)
  %tf: f32[8, 1024] = aten.sub.Tensor(%tp, %bias)
  %out: f32[16, 8] = aten.linear.default(%if, %tf)
  return (%out, %if, %tf)
})";
constexpr uint64_t kImageBytes = 16 * 1024 * 4;
constexpr uint64_t kRetainedBudgets[] = {0, kImageBytes + 700, 3 * kImageBytes, 5 * kImageBytes};
constexpr unsigned kImages = 4;
constexpr unsigned kTexts = 3;
constexpr unsigned kThreads = 8;
constexpr unsigned kRequestsPerThread = 125;

Inputs inputs(unsigned image, unsigned text) {
  return {{"image", noise({16, 512}, image)}, {"text", noise({8, 512}, 100 + text)}};
}

// What a serial session answers, by strategy, image and text. All strategies of the segments agree.
class Expected {
 public:
  explicit Expected(const CompiledProgram& program) {
    const auto session = program.session();
    for (const bool is_whole : {false, true}) {
      for (unsigned i = 0; i < kImages * kTexts; ++i) {
        auto answer = session->run({.inputs = inputs(i / kTexts, i % kTexts),
                                    .strategy = is_whole ? "monolithic" : "",
                                    .reuse = false});
        EXPECT_TRUE(answer.ok()) << answer.status().to_string();
        for (OutputValue& output : answer->outputs)
          outputs_[{is_whole, i}][output.name] = std::move(output.tensor);
      }
    }
  }
  bool is_right(const Response& response, bool is_whole, unsigned index) const {
    for (const OutputValue& output : response.outputs) {
      const Tensor& expected = outputs_.at({is_whole, index}).at(output.name);
      if (!bit_identical(output.tensor, expected)) return false;
    }
    return !response.outputs.empty();
  }

 private:
  std::map<std::pair<bool, unsigned>, std::map<std::string, Tensor>> outputs_;
};

// Asks requests to stop a little later.
class Stopper {
 public:
  std::stop_token soon() {
    const std::lock_guard lock(mutex_);
    return sources_.emplace_back().get_token();
  }

 private:
  void stop_all() {
    const std::lock_guard lock(mutex_);
    for (std::stop_source& source : sources_) source.request_stop();
    sources_.clear();
  }
  std::mutex mutex_;
  std::vector<std::stop_source> sources_;
  std::jthread thread_{[this](const std::stop_token& end) {
    while (!end.stop_requested()) {
      stop_all();
      std::this_thread::sleep_for(std::chrono::microseconds(700));
    }
  }};
};

class Stress : public ::testing::Test {
 protected:
  Stress()
      : program(kTowers, inputs(0, 0)),
        expected(program),
        package(*Package::open(program.path())),  // nothing is loaded for this one
        one_segment(room_for("segment_image")),
        whole_program(room_for("main")) {}

  // For loading this callable while no other is there, and some more than was estimated.
  uint64_t room_for(const std::string& callable) const {
    return 2 * package->manifest().find_callable(callable)->costs.resident_bytes + (3 << 19);
  }

  std::unique_ptr<Session> session() const {
    auto made = Session::create(package, {});
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }

  void serve(unsigned thread);
  Request random_request(std::mt19937& random, unsigned index, bool is_whole);
  void disturb(Session& session, std::mt19937& random);

  CompiledProgram program;
  Expected expected;
  std::shared_ptr<const Package> package;
  std::vector<std::unique_ptr<Session>> sessions;
  const uint64_t one_segment;  // resident budgets
  const uint64_t whole_program;
  Stopper stopper;
  std::atomic<int> wrong = 0;
  std::mutex mutex;
  std::map<StatusCode, int> codes;  // of all answers
  std::string surprise;             // an error that nobody provoked
};

Request Stress::random_request(std::mt19937& random, unsigned index, bool is_whole) {
  static const std::vector<std::vector<std::string>> kWants = {{}, {"out"}, {"if"}, {"tf"}};
  Request request{.inputs = inputs(index / kTexts, index % kTexts), .want = kWants[random() % 4]};
  if (is_whole) request.strategy = "monolithic";
  if (!is_whole && random() % 4 == 0) request.strategy = "full_retention";
  if (random() % 12 == 0) request.reuse = false;
  if (random() % 10 == 0)
    request.deadline = Clock::now() + std::chrono::microseconds(random() % 3000);
  if (random() % 10 == 0) request.stop = stopper.soon();
  return request;
}

void Stress::disturb(Session& session, std::mt19937& random) {
  switch (random() % 8) {
    case 0: session.clear(); break;
    case 1:
    case 2:
      session.set_budgets(kRetainedBudgets[random() % std::size(kRetainedBudgets)],
                          random() % 2 == 0 ? one_segment : whole_program);
      break;
    case 3:
      if (session.stats().retained_bytes > kRetainedBudgets[3]) ++wrong;
      break;
    default: break;
  }
}

void Stress::serve(unsigned thread) {
  std::mt19937 random(thread);
  for (unsigned i = 0; i < kRequestsPerThread; ++i) {
    Session& session = *sessions[random() % sessions.size()];
    disturb(session, random);
    const unsigned index = random() % (kImages * kTexts);
    const bool is_whole = random() % 6 == 0;
    const Request request = random_request(random, index, is_whole);
    Result<Response> answer = [&]() -> Result<Response> {
      if (random() % 5 != 0) return session.run(request);
      CA_ASSIGN_OR_RETURN(const Plan plan, session.plan(request));
      return session.run(request, plan);
    }();
    if (answer.ok() && !expected.is_right(*answer, is_whole, index)) ++wrong;
    const std::lock_guard lock(mutex);
    ++codes[answer.status().code()];
    const StatusCode code = answer.status().code();
    const bool may_stop = request.deadline || request.stop.stop_possible();
    const bool is_provoked = code == StatusCode::kOk || code == StatusCode::kStalePlan ||
                             (code == StatusCode::kCancelled && may_stop) ||
                             (code == StatusCode::kOverBudget && is_whole);
    if (!is_provoked) surprise = answer.status().to_string();
  }
}

TEST_F(Stress, AThousandRequestsOfEightThreadsAreAnsweredAsIfTheyWereAlone) {
  for (int s = 0; s < 3; ++s) {
    sessions.push_back(session());
    sessions.back()->set_budgets(kRetainedBudgets[3], s == 0 ? one_segment : whole_program);
  }
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back([this, t] { serve(t); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(surprise, "");
  EXPECT_GT(codes[StatusCode::kOk], 500);
  EXPECT_GT(codes[StatusCode::kCancelled], 0);
  uint64_t hits = 0;
  uint64_t unloads = 0;
  for (const auto& session : sessions) {
    const SessionStats stats = session->stats();
    EXPECT_LE(stats.retained_bytes_peak, kRetainedBudgets[3]);
    EXPECT_LE(stats.resident_bytes_peak, whole_program);
    hits += stats.hits;
    unloads = stats.unloads;
    session->clear();
    EXPECT_EQ(session->stats().retained_bytes, 0u);
    EXPECT_EQ(session->stats().retained_entries, 0u);
  }
  EXPECT_GT(hits, 100u);
  EXPECT_GT(unloads, 10u) << "callables came and went";
  for (const auto& session : sessions)  // and all is as it was
    EXPECT_TRUE(expected.is_right(run(*session, inputs(3, 2)), false, 3 * kTexts + 2));
}

// Room for one callable at a time, and nothing retained: nobody fails, nobody waits for ever.
TEST_F(Stress, RequestsThatHaveNoRoomSideBySideTakeTurns) {
  sessions.push_back(session());
  sessions[0]->set_budgets(0, one_segment);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (unsigned i = 0; i < 10; ++i) {
        const unsigned index = (t * 5 + i) % (kImages * kTexts);
        const auto answer = sessions[0]->run({.inputs = inputs(index / kTexts, index % kTexts),
                                              .want = {(t + i) % 2 == 0 ? "if" : "tf"}});
        if (!answer.ok() || !expected.is_right(*answer, false, index)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const SessionStats stats = sessions[0]->stats();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(stats.failed, 0u);
  EXPECT_LE(stats.resident_bytes_peak, one_segment);
  EXPECT_GT(stats.unloads, 0u);
}

}  // namespace
}  // namespace changeaware::testing
