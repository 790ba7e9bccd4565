// What the operating system refuses is an error, and the engine goes on. In a child process, as the
// limits are the process's.
#include <malloc.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/process_memory.h"
#include "engine/openvino/test_support.h"

namespace changeaware::ovn {
namespace {

constexpr const char* kLarge = R"(graph(%x: f32[1, 4096]) {
  %w = constant f32[4096, 4096] "w"
  %v = constant f32[4096, 4096] "v"
  %h: f32[1, 4096] = aten.mm.default(%x, %w)
  %r: f32[1, 4096] = aten.relu.default(%h)
  %y: f32[1, 4096] = aten.mm.default(%r, %v)
  return (%y)
})";

constexpr const char* kSmall = R"(graph(%x: f32[2, 2]) {
  %y: f32[2, 2] = aten.relu.default(%x)
  return (%y)
})";

// Exit codes say what went wrong.
enum Code { kFine = 0, kSetUp = 10, kNoError = 11, kUnusable = 12, kMemoryKept = 13 };

bool limit(int resource, rlim_t bytes) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return false;
  now.rlim_cur = std::min(bytes, now.rlim_max);
  return setrlimit(resource, &now) == 0;
}

rlim_t address_space() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * 4096;
}

bool small_works() {
  const auto out = run_text(kSmall, {{"f32[2, 2]", {1, -1, 2, -2}}});
  return out.ok() && matches((*out)[0], {"f32[2, 2]", {1, 0, 2, 0}});
}

[[maybe_unused, noreturn]] void compile_under_limits() {
  const auto graph = parse_graph(kLarge);
  if (!graph.ok() || !small_works()) _exit(kSetUp);
  bool one_failed = false;
  uint64_t before = 0;
  for (const size_t spare : {size_t{0}, size_t{1}, size_t{8}, size_t{40}, size_t{100}}) {
    if (!limit(RLIMIT_AS, address_space() + (spare << 20))) _exit(kSetUp);
    const bool failed = !test_engine().compile(*graph).ok();
    if (!limit(RLIMIT_AS, RLIM_INFINITY)) _exit(kSetUp);
    one_failed = one_failed || failed;
    if (!small_works()) _exit(kUnusable);
    malloc_trim(0);
    const uint64_t now = process_memory()->anonymous_bytes;
    if (before > 0 && now > before + (uint64_t{16} << 20)) _exit(kMemoryKept);
    if (before == 0) before = now;
  }
  if (!one_failed) _exit(kNoError);
  if (!test_engine().compile(*graph).ok()) _exit(kUnusable);
  _exit(kFine);
}

[[maybe_unused, noreturn]] void run_under_limits() {
  // 1 GB of activations.
  const auto graph = parse_graph(R"(graph(%x: f32[16384], %y: f32[16384, 1]) {
    %s: f32[16384, 16384] = aten.mul.Tensor(%x, %y)
    %r: f32[16384, 16384] = aten.sub.Tensor(%s, %x)
    return (%r)
  })");
  if (!graph.ok() || !small_works()) _exit(kSetUp);
  const auto executable = test_engine().compile(*graph);
  if (!executable.ok()) _exit(kSetUp);
  const std::vector<Tensor> in{
      Tensor::of<float>(DType::kFloat32, {16384}, std::vector<float>(16384, 1)),
      Tensor::of<float>(DType::kFloat32, {16384, 1}, std::vector<float>(16384, 1))};
  std::vector<Tensor> out(1);
  if (!limit(RLIMIT_AS, address_space() + (size_t{64} << 20))) _exit(kSetUp);
  const bool failed = !(*executable)->run(in, out).ok();
  if (!limit(RLIMIT_AS, RLIM_INFINITY)) _exit(kSetUp);
  if (!failed) _exit(kNoError);
  if (!small_works()) _exit(kUnusable);
  _exit(kFine);
}

[[noreturn]] void keep_blobs_on_a_full_disk() {
  std::string folder = ::testing::TempDir() + "changeaware_full_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) _exit(kSetUp);
  const auto engine = make_openvino_engine({.threads = 1, .blob_folder = folder});
  const auto graph = parse_graph(kSmall);
  if (!engine.ok() || !graph.ok()) _exit(kSetUp);
  // A file that cannot grow fails as one on a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  if (!limit(RLIMIT_FSIZE, 200)) _exit(kSetUp);
  const bool compiled = (*engine)->compile_identified(*graph, "small").ok();
  if (!limit(RLIMIT_FSIZE, RLIM_INFINITY)) _exit(kSetUp);
  const BlobReport report = (*engine)->blob_report();
  const bool empty = std::filesystem::is_empty(folder);
  std::filesystem::remove_all(folder);
  if (!compiled || !empty) _exit(kUnusable);
  if (report.stored != 0 || report.ignored != 1) _exit(kNoError);
  _exit(kFine);
}

class Limits : public ::testing::Test {
 protected:
  // The child starts anew: threads do not survive a fork.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
TEST_F(Limits, CompilingWithoutMemoryIsAnErrorAndLeavesNothing) {
  EXPECT_EXIT(compile_under_limits(), ::testing::ExitedWithCode(kFine), "");
}

TEST_F(Limits, RunningWithoutMemoryIsAnError) {
  EXPECT_EXIT(run_under_limits(), ::testing::ExitedWithCode(kFine), "");
}

#endif

TEST_F(Limits, AFullDiskUnderTheBlobsIsNoError) {
  EXPECT_EXIT(keep_blobs_on_a_full_disk(), ::testing::ExitedWithCode(kFine), "");
}

}  // namespace
}  // namespace changeaware::ovn
