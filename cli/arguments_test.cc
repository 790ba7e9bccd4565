#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/npy.h"
#include "cli/test_files.h"

namespace changeaware::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

// An app with the kinds of options that the commands have.
struct Example {
  CLI::App app{"An example.", "changeaware example"};
  std::string package;
  std::vector<std::string> inputs;
  int threads = 0;
  bool as_json = false;

  Example() {
    app.add_option("PACKAGE", package, "")->required();
    add_repeatable(app, "--input", inputs, "");
    app.add_option("--threads", threads, "")->check(CLI::NonNegativeNumber);
    app.add_flag("--json", as_json, "");
  }
  Result<bool> parse(std::vector<std::string> words) {
    std::vector<char*> argv{const_cast<char*>("example")};
    for (std::string& word : words) argv.push_back(word.data());
    return parse_arguments(app, static_cast<int>(argv.size()), argv.data());
  }
};

TEST(Arguments, ARepeatableOptionLeavesThePositionalAlone) {
  Example example;
  const auto parsed = example.parse({"--input", "a=1", "--input", "b=2", "file.pt2", "--json"});
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_TRUE(*parsed);
  EXPECT_THAT(example.inputs, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(example.package, "file.pt2");
  EXPECT_TRUE(example.as_json);
}

TEST(Arguments, AWrongUseNamesTheOption) {
  struct Case {
    std::vector<std::string> words;
    const char* message;
  };
  for (const Case& c :
       {Case{{}, "PACKAGE"}, Case{{"p", "--thread", "2"}, "--thread"},
        Case{{"p", "--threads", "-1"}, "--threads"}, Case{{"p", "--threads", "two"}, "--threads"},
        Case{{"p", "--input"}, "--input"}}) {
    Example example;
    const auto parsed = example.parse(c.words);
    ASSERT_FALSE(parsed.ok()) << c.message;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(parsed.status().message(), HasSubstr(c.message));
    EXPECT_THAT(parsed.status().message(), HasSubstr("changeaware example --help"));
  }
}

TEST(Arguments, BytesMayHaveAUnit) {
  for (const auto& [word, bytes] : std::vector<std::pair<std::string, uint64_t>>{
           {"0", 0}, {"1000000", 1000000}, {"64MiB", 64 << 20}, {"3kB", 3000}, {"2KiB", 2048}}) {
    CLI::App app;
    uint64_t found = 7;
    add_bytes_option(app, "--budget", found, "a budget");
    std::string name = "changeaware";
    std::string option = "--budget";
    std::string value = word;
    char* argv[] = {name.data(), option.data(), value.data()};
    ASSERT_TRUE(parse_arguments(app, 3, argv).ok()) << word;
    EXPECT_EQ(found, bytes) << word;
  }
  for (const char* word : {"-1", "many", "5XB", "1.5.2MB"}) {
    CLI::App app;
    uint64_t found = 0;
    add_bytes_option(app, "--budget", found, "a budget");
    std::string name = "changeaware";
    std::string option = "--budget=" + std::string(word);
    char* argv[] = {name.data(), option.data()};
    const auto parsed = parse_arguments(app, 2, argv);
    ASSERT_FALSE(parsed.ok()) << word;
    EXPECT_THAT(parsed.status().message(), HasSubstr("--budget")) << word;
  }
}

TEST(Arguments, AnAssignmentIsSplitAtItsFirstEqualsSign) {
  const auto split = split_assignments("--input", {"x=dir/a=b.npy", "y=c"});
  ASSERT_TRUE(split.ok());
  EXPECT_THAT(*split, ElementsAre(Pair("x", "dir/a=b.npy"), Pair("y", "c")));
}

TEST(Arguments, AMalformedAssignmentIsRefusedByName) {
  for (const char* word : {"image", "=a.npy", "image="}) {
    const auto split = split_assignments("--input", {word});
    ASSERT_FALSE(split.ok()) << word;
    EXPECT_EQ(split.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(split.status().message(), HasSubstr(std::string("--input ") + word));
  }
  const auto twice = split_assignments("--version-tag", {"x=1", "x=2"});
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.status().message(), HasSubstr("x is given twice"));
}

TEST(Arguments, AFileThatIsNoArrayIsNamedWithItsOptionAndName) {
  const TemporaryFolder folder;
  const std::string good = folder.file("good.npy");
  ASSERT_TRUE(write_npy(good, Tensor::of<float>(DType::kFloat32, {1}, {2})).ok());
  const std::string notes = folder.write("notes.txt", "no array");
  for (const char* option : {"--input", "--example"}) {
    const auto corrupt = read_assigned_tensors(option, {"top=" + good, "side=" + notes});
    EXPECT_EQ(corrupt.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(corrupt.status().message(), StartsWith(option + (" side: " + notes + ": ")));
    const auto missing = read_assigned_tensors(option, {"side=" + folder.file("missing.npy")});
    EXPECT_EQ(missing.status().code(), StatusCode::kIo);
    EXPECT_THAT(missing.status().message(), HasSubstr(std::string(option) + " side: "));
  }
  const auto read = read_assigned_tensors("--input", {"top=" + good});
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read->at("top").data_as<float>(), 2);
}

TEST(Arguments, AReferenceThatIsNoArchiveIsNamedWithItsOption) {
  const TemporaryFolder folder;
  const std::string notes = folder.write("notes.txt", "no archive");
  const auto corrupt = read_reference(notes);
  EXPECT_EQ(corrupt.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(corrupt.status().message(), StartsWith("--reference: " + notes + ": "));
  EXPECT_TRUE(read_reference("").ok());
}

}  // namespace
}  // namespace changeaware::cli
