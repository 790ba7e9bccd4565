// Program files for the tests of this folder. tests/programs/make_reader_programs.py makes them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "archive/archive_writer.h"
#include "pt2/reader.h"

namespace changeaware {

inline const std::vector<std::string>& readable_programs() {
  static const std::vector<std::string> kNames = {
      "kwargs_order",  "nested_dict", "duplicates", "fixed_outputs",  "views",
      "dynamic",       "no_grad",     "operators",  "operators_core", "views_core",
      "writes_buffer", "conditional", "no_operands"};
  return kNames;
}

inline std::string program_path(const std::string& name) {
  return std::string(CHANGEAWARE_SOURCE_DIR) + "/tests/data/reader/" + name + ".pt2";
}

inline std::string fixture_path() {
  const char* folder = std::getenv("CHANGEAWARE_FIXTURES");
  const std::string base =
      folder != nullptr ? folder : std::string(CHANGEAWARE_SOURCE_DIR) + "/../shared/fixtures";
  return base + "/efficientsam_ti.pt2";
}

inline ExportedProgram read_ok(const std::string& path) {
  auto program = read_pt2(path);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  return program.ok() ? std::move(*program) : ExportedProgram();
}

inline std::string test_path(const std::string& name) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + info->test_suite_name() + "_" + info->name() + "_" + name;
}

// Entry texts by name; an entry for which `edit` returns nothing is left out.
using Edit = std::function<std::optional<std::string>(const std::string& name, std::string text)>;

// A copy of the archive at `from` with edited entries (and right CRCs), in memory; its path in
// errors is "edited.pt2".
inline std::shared_ptr<const Archive> edited_copy(const std::string& from, const Edit& edit) {
  const auto archive = Archive::open(from);
  EXPECT_TRUE(archive.ok());
  auto writer = ArchiveWriter::create_in_memory("top");
  EXPECT_TRUE(writer.ok());
  for (const ArchiveEntry& entry : (*archive)->entries()) {
    const auto text = edit(entry.name, (*archive)->read_text(entry.name).value());
    if (!text) continue;
    EXPECT_TRUE((*writer)->add(entry.name, *text).ok());
  }
  const auto bytes = std::make_shared<const std::string>((*writer)->take().value());
  const auto copy = Archive::open_memory("edited.pt2", std::as_bytes(std::span(*bytes)), bytes);
  EXPECT_TRUE(copy.ok());
  return *copy;
}

// As read_pt2() does with a file.
inline Result<ExportedProgram> read_archive(const std::shared_ptr<const Archive>& archive) {
  CA_ASSIGN_OR_RETURN(const std::vector<std::string> names, list_programs(*archive));
  return read_program(archive, names.front());
}

// Replaces the first `from` in entry `name`, which must be there.
inline Edit replace_in(const std::string& name, const std::string& from, const std::string& to) {
  return [=](const std::string& entry, std::string text) -> std::optional<std::string> {
    if (entry != name) return text;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return text;
  };
}

}  // namespace changeaware
