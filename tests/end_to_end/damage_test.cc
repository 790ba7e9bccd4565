// A package whose parts do not belong together is refused by name, never run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "archive/archive.h"
#include "archive/archive_writer.h"
#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProgram = R"(graph(%x: f32[4], %y: f32[4]) {
  %w = constant f32[4] {1, 2, 3, 4}
  %v = constant f32[4] {5, 6, 7, 8}
  %a: f32[4] = aten.add.Tensor(%x, %w, alpha=3)
  %b: f32[4] = aten.mul.Tensor(%y, %v)
  %c: f32[4] = aten.sub.Tensor(%a, %b)
  return (%a, %c)
})";

// Writes the archive anew with `from` replaced by `to` in one entry; every CRC is right afterwards.
void replace_in_entry(const std::string& path, const std::string& entry_name,
                      const std::string& from, const std::string& to) {
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const std::string changed = path + ".changed";
  auto writer = ArchiveWriter::create(changed, "package");
  ASSERT_TRUE(writer.ok());
  bool found = false;
  for (const ArchiveEntry& entry : (*archive)->entries()) {
    const auto bytes = (*archive)->map(entry);
    ASSERT_TRUE(bytes.ok());
    std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    if (entry.name == entry_name) {
      const size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << text;
      text.replace(at, from.size(), to);
      found = true;
    }
    ASSERT_TRUE((*writer)->add(entry.name, text).ok());
  }
  ASSERT_TRUE(found) << entry_name;
  ASSERT_TRUE((*writer)->finish().ok());
  std::filesystem::rename(changed, path);
}

Status status_of_a_request(const std::string& path) {
  auto package = Package::open(path);
  if (!package.ok()) return package.status();
  auto session = Session::create(*package);
  if (!session.ok()) return session.status();
  const Inputs inputs = {{"x", f32({4}, {1, 1, 1, 1})}, {"y", f32({4}, {1, 1, 1, 1})}};
  return (*session)->run({.inputs = inputs}).status();
}

class Damage : public ::testing::Test {
 protected:
  Damage() : program_(kProgram, {{"x", noise({4}, 1)}, {"y", noise({4}, 2)}}) {}
  // The name of the segment of x alone: every change below is to what it reads.
  std::string segment_entry() const { return "models/segment_x.json"; }
  CompiledProgram program_;
};

TEST_F(Damage, AnUnchangedCopyRuns) {
  replace_in_entry(program_.path(), "archive_format", "pt2", "pt2");
  EXPECT_TRUE(status_of_a_request(program_.path()).ok());
}

TEST_F(Damage, AChangedAttributeIsAnotherIdentity) {
  replace_in_entry(program_.path(), segment_entry(), "\"as_int\":3", "\"as_int\":4");
  const Status status = status_of_a_request(program_.path());
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("the identity of models/segment_x.json is"));
}

TEST_F(Damage, AChangedWeightIsAnotherIdentity) {
  const float two = 2;
  const float three = 3;
  replace_in_entry(program_.path(), "data/constants/tensor_0",
                   std::string(reinterpret_cast<const char*>(&two), sizeof(two)),
                   std::string(reinterpret_cast<const char*>(&three), sizeof(three)));
  EXPECT_THAT(status_of_a_request(program_.path()).message(), HasSubstr("the identity of models/"));
}

TEST_F(Damage, AFlippedBitNamesTheEntry) {
  std::fstream file(program_.path(), std::ios::in | std::ios::out | std::ios::binary);
  const auto archive = Archive::open(program_.path());
  ASSERT_TRUE(archive.ok());
  file.seekg(static_cast<std::streamoff>((*archive)->find("data/constants/tensor_0")->offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>((*archive)->find("data/constants/tensor_0")->offset));
  file.put(static_cast<char>(byte ^ 1));
  file.close();
  const Status status = status_of_a_request(program_.path());
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("data/constants/tensor_0"));
}

TEST_F(Damage, AManifestWithAnotherPortIsRefused) {
  replace_in_entry(program_.path(), "extra/manifest.json", "\"name\":\"x\",\"dtype\":\"float32\"",
                   "\"name\":\"x\",\"dtype\":\"int64\"");
  EXPECT_THAT(status_of_a_request(program_.path()).message(), HasSubstr("'x'"));
}

}  // namespace
}  // namespace changeaware::testing
