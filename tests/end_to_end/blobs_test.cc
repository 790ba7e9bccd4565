// Compiled callables that are kept on disk: a second start uses them, gives the same bits, and is
// never hurt by what it finds there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kProgram = R"(graph(%x: f32[4, 512], %y: f32[4, 512]) {
  %w = constant f32[512, 512] "w"
  %v = constant f32[512, 512] "v"
  %a: f32[4, 512] = aten.linear.default(%x, %w)
  %b: f32[4, 512] = aten.linear.default(%y, %v)
  %c: f32[4, 512] = aten.mul.Tensor(%a, %b)
  return (%c)
})";

class Blobs : public ::testing::Test {
 protected:
  Blobs() : program(kProgram, inputs(0)), folder(temporary_path("blobs")) {}
  ~Blobs() override { std::filesystem::remove_all(folder); }

  static Inputs inputs(unsigned seed) {
    return {{"x", noise({4, 512}, seed)}, {"y", noise({4, 512}, seed + 1)}};
  }
  // A session of its own process's making: nothing is shared with earlier ones.
  std::unique_ptr<Session> fresh_session(const std::string& blob_folder) {
    SessionOptions options;
    options.blob_folder = blob_folder;
    return *Session::create(*Package::open(program.path()), options);
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      out.push_back(entry.path());
    return out;
  }

  CompiledProgram program;
  std::string folder;
};

TEST_F(Blobs, AreUsedBySecondStartsWithTheSameBits) {
  const auto first = fresh_session(folder);
  const Response answer = run(*first, inputs(5));
  EXPECT_EQ(first->stats().blobs_used, 0u);
  EXPECT_EQ(first->stats().blobs_stored, 3u);
  const auto second = fresh_session(folder);
  expect_identical(run(*second, inputs(5)).outputs, answer.outputs);
  EXPECT_EQ(second->stats().blobs_used, 3u);
  EXPECT_EQ(second->stats().blobs_stored, 0u);
}

TEST_F(Blobs, OffKeepsNothing) {
  const auto session = fresh_session("off");
  run(*session, inputs(5));
  EXPECT_EQ(session->stats().blobs_stored, 0u);
  EXPECT_FALSE(std::filesystem::exists("off"));
}

TEST_F(Blobs, ThatAreDamagedAreIgnoredWithAReason) {
  const Response answer = run(*fresh_session(folder), inputs(5));
  for (const auto& path : files()) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-40, std::ios::end);
    file.write("damage", 6);
  }
  const auto second = fresh_session(folder);
  expect_identical(run(*second, inputs(5)).outputs, answer.outputs);
  EXPECT_EQ(second->stats().blobs_used, 0u);
  EXPECT_THAT(second->stats().blobs_ignored, Not(IsEmpty()));
}

TEST_F(Blobs, AFolderThatCannotBeWrittenIsNoError) {
  std::ofstream(folder) << "a file where the folder should be";
  const auto session = fresh_session(folder);
  expect_identical(run(*session, inputs(5)).outputs, program.full_run(inputs(5)));
  EXPECT_EQ(session->stats().blobs_stored, 0u);
  EXPECT_THAT(session->stats().blobs_ignored, Not(IsEmpty()));
}

// Digests of weights that are known from an earlier start do not hide that the file was changed.
TEST_F(Blobs, AChangedWeightIsFoundThoughDigestsAreKept) {
  run(*fresh_session(folder), inputs(5));
  std::string bytes;
  {
    std::ifstream file(program.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(program.path(), std::ios::binary) << bytes;
  const auto session = fresh_session(folder);
  const auto answer = session->run({.inputs = inputs(5)});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.status().code(), StatusCode::kCorrupt);
}

// Digests that were tampered with lead to the weights being read again.
TEST_F(Blobs, WrongDigestsAreNotBelieved) {
  const Response answer = run(*fresh_session(folder), inputs(5));
  size_t tampered = 0;
  for (const auto& path : files()) {
    if (path.extension() != ".digests") continue;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file.write("0000", 4);
    ++tampered;
  }
  ASSERT_EQ(tampered, 1u);
  expect_identical(run(*fresh_session(folder), inputs(5)).outputs, answer.outputs);
}

}  // namespace
}  // namespace changeaware::testing
