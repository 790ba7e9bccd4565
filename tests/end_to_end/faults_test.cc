// What goes wrong under a request: a clear error, budgets as before, and the next request right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "archive/archive.h"
#include "end_to_end/compiled_program.h"
#include "end_to_end/failing_allocations.h"
#include "tensor/buffer_pool.h"

namespace changeaware::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kTowers = R"(graph(%image: f32[16, 256], %text: f32[8, 256]) {
  %wi = constant f32[256, 256] "image.weight"
  %wt = constant f32[256, 256] "text.weight"
  %bias = constant f32[1] {0.25}
  %ip: f32[16, 256] = aten.linear.default(%image, %wi)
  %if: f32[16, 256] = aten.add.Tensor(%ip, %bias)
  %tp: f32[8, 256] = aten.linear.default(%text, %wt)
  %tf: f32[8, 256] = aten.sub.Tensor(%tp, %bias)
  %out: f32[16, 8] = aten.linear.default(%if, %tf)
  return (%out, %if, %tf)
})";

Inputs inputs(unsigned image, unsigned text) {
  return {{"image", noise({16, 256}, image)}, {"text", noise({8, 256}, 100 + text)}};
}

class Faults : public ::testing::Test {
 protected:
  Faults() : program(kTowers, inputs(0, 0)), copy(temporary_path("copy.pt2")) {
    fs::copy_file(program.path(), copy);
  }
  ~Faults() override { fs::remove(copy); }

  // On a package of its own: nothing is loaded for it.
  std::unique_ptr<Session> fresh_session(const std::string& blob_folder = "") const {
    auto package = Package::open(copy);
    EXPECT_TRUE(package.ok()) << package.status().to_string();
    return *Session::create(*package, {.blob_folder = blob_folder});
  }
  void expect_right(Session& session, const Inputs& values) const {
    expect_identical(run(session, values).outputs, program.full_run(values));
  }

  CompiledProgram program;
  std::string copy;
};

void expect_as_before(const SessionStats& before, const SessionStats& after) {
  EXPECT_EQ(after.retained_bytes, before.retained_bytes);
  EXPECT_EQ(after.retained_entries, before.retained_entries);
  EXPECT_EQ(after.resident_bytes, before.resident_bytes);
}

void expect_out_of_memory(const Status& status) {
  EXPECT_EQ(status.code(), StatusCode::kOverBudget) << status.to_string();
  EXPECT_THAT(status.message(), HasSubstr("memory"));
}

// Every single allocation of a request fails once.
TEST_F(Faults, MemoryThatRunsOutAnywhereInARequestIsAStatus) {
  const auto session = fresh_session();
  expect_right(*session, inputs(0, 0));
  int failures = 0;
  for (unsigned n = 0;; ++n) {
    const Inputs values = inputs(1 + n, 0);
    const SessionStats before = session->stats();
    bool has_failed = false;
    {
      const Request request{.inputs = values};
      auto answer = [&] {
        const FailingAllocation failing(static_cast<int>(n));
        auto got = session->run(request);
        has_failed = failing.has_failed();
        return got;
      }();
      if (!answer.ok()) {
        ++failures;
        expect_out_of_memory(answer.status());
        // Nothing of the request is retained; an older result may have made room for its own.
        EXPECT_LE(session->stats().retained_bytes, before.retained_bytes);
        EXPECT_LE(session->stats().retained_entries, before.retained_entries);
        EXPECT_EQ(session->stats().resident_bytes, before.resident_bytes);
      } else {
        expect_identical(answer->outputs, program.full_run(values));
      }
    }
    if (!has_failed) break;
    expect_right(*session, values);
    ASSERT_FALSE(HasFailure()) << "allocation " << n;
  }
  EXPECT_GT(failures, 50);
  session->clear();
  EXPECT_EQ(session->stats().retained_bytes, 0u);
}

TEST_F(Faults, MemoryThatRunsOutInAPlanIsAStatus) {
  const auto session = fresh_session();
  const Request request{.inputs = inputs(1, 1)};
  for (int n = 0;; ++n) {
    bool has_failed = false;
    const auto plan = [&] {
      const FailingAllocation failing(n);
      auto got = session->plan(request);
      has_failed = failing.has_failed();
      return got;
    }();
    if (!has_failed) break;
    if (!plan.ok()) expect_out_of_memory(plan.status());
    ASSERT_FALSE(HasFailure()) << "allocation " << n;
  }
  EXPECT_TRUE(session->run(request, *session->plan(request)).ok());
}

// Loading makes thousands of allocations: some of them fail, ever further into it.
TEST_F(Faults, MemoryThatRunsOutWhileLoadingGivesTheBytesBack) {
  const Request request{.inputs = inputs(1, 1), .strategy = "monolithic"};
  int failures = 0;
  int named = 0;
  for (int n = 0;; n = n * 4 / 3 + 1) {
    const auto session = fresh_session(n % 2 == 0 ? "off" : "");
    const SessionStats before = session->stats();
    bool has_failed = false;
    const auto answer = [&] {
      const FailingAllocation failing(n);
      auto got = session->run(request);
      has_failed = failing.has_failed();
      return got;
    }();
    if (!has_failed) break;
    if (!answer.ok()) {
      ++failures;
      expect_out_of_memory(answer.status());
      if (answer.status().message().find("callable 'main'") != std::string::npos) ++named;
      EXPECT_EQ(session->stats().retained_bytes, 0u);
      if (session->stats().resident.empty()) expect_as_before(before, session->stats());
    }
    const auto again = session->run(request);
    ASSERT_TRUE(again.ok()) << "allocation " << n << ": " << again.status().to_string();
  }
  EXPECT_GT(failures, 10);
  EXPECT_GT(named, 0) << "what the engine could not allocate is the callable's";
}

TEST_F(Faults, MemoryThatRunsOutInLoadOrCreateIsAStatus) {
  const auto package = *Package::open(copy);
  for (int n = 0; n < 40; ++n) {
    const FailingAllocation failing(n);
    const auto session = Session::create(package, {});
    const Status status = session.ok() ? (*session)->load() : session.status();
    if (!status.ok()) expect_out_of_memory(status);
  }
  expect_right(*fresh_session(), inputs(2, 2));
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // these reserve terabytes

// The address space of the process, limited to what it has and `more`, while this exists.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(uint64_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::ifstream file("/proc/self/statm");
    uint64_t pages = 0;
    file >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096 + more;
    is_set_ = pages > 0 && setrlimit(RLIMIT_AS, &limit) == 0;
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
  bool is_set() const { return is_set_; }

 private:
  rlimit before_ = {};
  bool is_set_ = false;
};

TEST(FaultsOfTheSystem, AnAddressSpaceThatIsUsedUpIsAStatus) {
  const CompiledProgram wide(R"(graph(%x: f32[4096, 16], %y: f32[1, 8192]) {
    %w = constant f32[8192, 16] "w"
    %a: f32[4096, 8192] = aten.linear.default(%x, %w)
    %b: f32[4096, 8192] = aten.add.Tensor(%a, %y)
    %c: f32[8192] = aten.sum.dim_IntList(%b, [0])
    return (%c)
  })",
                             {{"x", noise({4096, 16}, 1)}, {"y", noise({1, 8192}, 2)}});
  const auto values = [](unsigned seed) {
    return Inputs{{"x", noise({4096, 16}, seed)}, {"y", noise({1, 8192}, 2)}};
  };
  const auto session = wide.session(0);  // what is in the way is not kept
  run(*session, values(3));
  const SessionStats before = session->stats();
  const Inputs next = values(4);
  release_idle_buffers();  // those of the first request would do
  {
    const AddressSpaceLimit limit(uint64_t{24} << 20);  // the features take 128 MiB
    ASSERT_TRUE(limit.is_set());
    const auto answer = session->run({.inputs = next});
    ASSERT_FALSE(answer.ok());
    expect_out_of_memory(answer.status());
  }
  expect_as_before(before, session->stats());
  expect_identical(run(*session, next).outputs, wide.full_run(next));
}

#endif

// Overwrites bytes inside an entry of a package file.
void damage(const std::string& path, const std::string& entry) {
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const ArchiveEntry* found = (*archive)->find(entry);
  ASSERT_NE(found, nullptr) << entry;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(found->offset + found->stored_size / 2));
  file.write("\1\2\3\4", 4);
}

TEST_F(Faults, ACallableThatCannotBeMadeReadyHurtsOnlyRequestsThatNeedIt) {
  damage(copy, "models/segment_text.json");
  const auto session = fresh_session();
  const Request image_only{.inputs = {{"image", inputs(1, 1)["image"]}}, .want = {"if"}};
  ASSERT_TRUE(session->run(image_only).ok());
  for (int attempt = 0; attempt < 2; ++attempt) {
    const SessionStats before = session->stats();
    const auto answer = session->run({.inputs = inputs(1, 1), .want = {"tf"}});
    EXPECT_EQ(answer.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(answer.status().message(), HasSubstr("segment_text"));
    expect_as_before(before, session->stats());
    const auto other = session->run({.inputs = {{"image", noise({16, 256}, 7)}}, .want = {"if"}});
    ASSERT_TRUE(other.ok()) << other.status().to_string();
  }
  EXPECT_EQ(session->load().code(), StatusCode::kCorrupt);
}

// Stop requested from another thread once the first of several slow loads is done.
TEST_F(Faults, ARequestThatIsStoppedInTheMiddleRetainsNothing) {
  bool was_in_the_middle = false;
  for (int attempt = 0; attempt < 50 && !was_in_the_middle; ++attempt) {
    const auto session = fresh_session("off");
    std::stop_source stop;
    std::atomic<bool> is_over = false;
    std::thread stopper([&] {
      while (session->stats().loads == 0 && !is_over)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      stop.request_stop();
    });
    const auto answer = session->run({.inputs = inputs(3, 3), .stop = stop.get_token()});
    is_over = true;
    stopper.join();
    if (answer.ok()) continue;
    EXPECT_EQ(answer.status().code(), StatusCode::kCancelled);
    EXPECT_EQ(session->stats().retained_bytes, 0u);
    EXPECT_EQ(session->stats().retained_entries, 0u);
    was_in_the_middle = !session->stats().runs.empty();
    expect_right(*session, inputs(3, 3));
  }
  EXPECT_TRUE(was_in_the_middle);
}

TEST_F(Faults, APackageThatIsTruncatedWhileOpenIsNamed) {
  const auto session = fresh_session();
  const auto cold = fresh_session();
  const Inputs known = inputs(1, 1);
  const Response answer = run(*session, known);
  const SessionStats before = session->stats();
  fs::resize_file(copy, fs::file_size(copy) / 2);
  const std::pair<Session*, Inputs> refused[] = {{session.get(), inputs(2, 2)},
                                                 {cold.get(), known}};
  for (const auto& [asked, values] : refused) {
    const auto got = asked->run({.inputs = values});
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(got.status().message(), HasSubstr(copy));
    EXPECT_THAT(got.status().message(), HasSubstr("changed in place"));
  }
  EXPECT_EQ(cold->load().code(), StatusCode::kCorrupt);
  expect_as_before(before, session->stats());
  EXPECT_EQ(cold->stats().resident_bytes, 0u);
  expect_identical(run(*session, known).outputs, answer.outputs);  // retained
}

TEST_F(Faults, APackageThatChangesBeforeTheFirstSessionIsNamed) {
  const auto package = *Package::open(copy);
  const auto time = fs::last_write_time(copy);
  damage(copy, "models/main.json");
  fs::last_write_time(copy, time + std::chrono::seconds(1));
  const auto session = *Session::create(package, {});
  const auto got = session->run({.inputs = inputs(1, 1)});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(got.status().message(), HasSubstr("changed in place"));
}

TEST_F(Faults, APackageThatIsOverwrittenInPlaceIsNamed) {
  const auto session = fresh_session();
  expect_right(*session, inputs(1, 1));
  const auto time = fs::last_write_time(copy);
  damage(copy, "models/main.json");
  fs::last_write_time(copy, time + std::chrono::seconds(1));
  const auto got = session->run({.inputs = inputs(2, 2)});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(got.status().message(), HasSubstr(copy));
}

TEST_F(Faults, APackageThatIsReplacedOrRemovedIsUsedOn) {
  const auto session = fresh_session();
  expect_right(*session, inputs(1, 1));
  const std::string other = temporary_path("other.pt2");
  std::ofstream(other) << "another file";
  fs::rename(other, copy);
  expect_right(*session, inputs(2, 2));
  fs::remove(copy);
  expect_right(*session, inputs(3, 3));
}

}  // namespace
}  // namespace changeaware::testing
