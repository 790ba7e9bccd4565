#include "pt2/unknown_operators.h"

#include "graph/op_schema.h"
#include "pt2/test_programs.h"

namespace changeaware {
namespace {

const std::string kEntry = "models/model.json";

// The program with calls of `op` where it calls "aten.`from`".
std::shared_ptr<const Archive> calling(const std::string& program, const std::string& from,
                                       const std::string& op) {
  return edited_copy(program_path(program),
                     replace_in(kEntry, "torch.ops.aten." + from, "torch.ops." + op));
}

TEST(UnknownOperators, APyTorchProgramHasNone) {
  for (const std::string& name : readable_programs()) {
    const auto archive = Archive::open(program_path(name));
    ASSERT_TRUE(archive.ok()) << name;
    const auto names = unknown_operators(**archive);
    ASSERT_TRUE(names.ok()) << names.status().to_string();
    EXPECT_TRUE(names->empty()) << name << ": " << names->front();
  }
}

TEST(UnknownOperators, OperatorsOfOthersAreNamedOnce) {
  const auto all = [](const std::string& name, std::string text) -> std::optional<std::string> {
    const std::string from = "aten.linear.default";
    for (size_t at = 0; name == kEntry && (at = text.find(from, at)) != std::string::npos;) {
      text.replace(at, from.size(), "mine.dense.default");
    }
    return text;
  };
  const auto names = unknown_operators(*edited_copy(program_path("kwargs_order"), all));
  ASSERT_TRUE(names.ok()) << names.status().to_string();
  EXPECT_EQ(*names, std::vector<std::string>{"mine.dense.default"});
}

TEST(UnknownOperators, ThoseOfBranchesAreNamedToo) {
  const auto names = unknown_operators(*calling("conditional", "sub.Tensor", "mine.inner.default"));
  ASSERT_TRUE(names.ok()) << names.status().to_string();
  EXPECT_EQ(*names, std::vector<std::string>{"mine.inner.default"});
}

TEST(UnknownOperators, ANodeWithoutATargetIsCorruptAndNamed) {
  const auto archive =
      edited_copy(program_path("kwargs_order"), replace_in(kEntry, "\"target\"", "\"target_\""));
  const auto names = unknown_operators(*archive);
  ASSERT_FALSE(names.ok());
  EXPECT_EQ(names.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(names.status().message().find("nodes[0]"), std::string::npos)
      << names.status().message();
}

TEST(UnknownOperators, ARegisteredOneIsKnown) {
  const auto archive = calling("kwargs_order", "cat.default", "mine.known.default");
  ASSERT_TRUE(register_op("mine.known.default", "(Tensor self, Tensor other) -> Tensor").ok());
  const auto names = unknown_operators(*archive);
  ASSERT_TRUE(names.ok()) << names.status().to_string();
  EXPECT_TRUE(names->empty());
}

TEST(RegisterOperators, AsksForTheSchemasOfUnknownOnesAlone) {
  const auto archive = calling("conditional", "sub.Tensor", "mine.asked.default");
  std::vector<std::string> asked;
  const SchemaSource source = [&](const std::string& name) -> Result<std::string> {
    asked.push_back(name);
    return std::string("(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  };
  ASSERT_TRUE(register_operators(*archive, source).ok());
  EXPECT_EQ(asked, std::vector<std::string>{"mine.asked.default"});
  ASSERT_NE(find_op("mine.asked.default"), nullptr);
  const auto program = read_archive(archive);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
}

TEST(RegisterOperators, ReadingNamesWhatNobodyHasASchemaOf) {
  const auto archive = calling("conditional", "sub.Tensor", "mine.nowhere.default");
  const SchemaSource none = [](const std::string&) { return Result<std::string>(std::string()); };
  ASSERT_TRUE(register_operators(*archive, none).ok());
  const auto program = read_archive(archive);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(program.status().message().find("mine.nowhere.default"), std::string::npos);
}

}  // namespace
}  // namespace changeaware
