// compile() and verify_package() on a real file: examples/three_inputs.pt2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "archive/archive.h"
#include "archive/archive_writer.h"
#include "changeaware/compiler.h"
#include "package/manifest_json.h"

namespace changeaware {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

const std::string kModel = CHANGEAWARE_SOURCE_DIR "/examples/three_inputs.pt2";

class Compile : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }
  std::string path(const std::string& name) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    paths_.push_back(::testing::TempDir() + test->name() + "_" + name);
    return paths_.back();
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::vector<std::string> paths_;
};

const Strategy& find_strategy(const Manifest& m, const std::string& name) {
  return *std::find_if(m.strategies.begin(), m.strategies.end(),
                       [&](const Strategy& s) { return s.name == name; });
}

TEST_F(Compile, StrategiesAreChosenByMeasuredCostsAndExecuted) {
  const std::string package = path("package.pt2");
  const auto report = compile(kModel, package);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_TRUE(report->verified);
  EXPECT_THAT(report->strategies, Contains("monolithic"));
  EXPECT_THAT(report->strategies, Contains("full_retention"));
  EXPECT_GE(report->strategy_candidates, report->strategies.size());
  const auto opened = Package::open(package);
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  const Manifest& m = (*opened)->manifest();
  EXPECT_TRUE(m.costs_are_measured);
  for (const Callable& c : m.callables) EXPECT_GT(c.costs.load_us, 0) << c.name;
  const Strategy& all = find_strategy(m, "full_retention");
  EXPECT_EQ(all.mask_costs.size(), 7);
  EXPECT_GT(all.retained_bytes, 0);
}

TEST_F(Compile, NominalCostsGiveTheSameBytesEveryTime) {
  const std::string one = path("one.pt2");
  const std::string two = path("two.pt2");
  for (const std::string& package : {one, two}) {
    const auto report = compile(kModel, package, {.costs = CostSource::kNominal});
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_TRUE(report->verified);
  }
  EXPECT_FALSE((*Package::open(one))->manifest().costs_are_measured);
  EXPECT_TRUE(contents(one) == contents(two));
}

TEST_F(Compile, ABudgetLeavesThickStrategiesOut) {
  const std::string package = path("package.pt2");
  const auto report =
      compile(kModel, package,
              {.costs = CostSource::kNominal, .retained_budget_bytes = 1000, .max_strategies = 3});
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_LE(report->strategies.size(), 3);
  EXPECT_THAT(report->rejections, Contains(Field(&Rejection::reason, HasSubstr("budget"))));
  const auto opened = Package::open(package);
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  for (const Strategy& s : (*opened)->manifest().strategies) {
    EXPECT_LE(s.retained_bytes, 1000) << s.name;
  }
}

TEST_F(Compile, AReferenceThatDiffersWritesNoPackage) {
  const std::string package = path("package.pt2");
  const Tensor wrong = Tensor::of<float>(DType::kFloat32, {1}, {123});
  CompileOptions options{.costs = CostSource::kNominal};
  options.reference = {{"confidence", wrong}};
  Status status = compile(kModel, package, options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("output 'confidence' differs first at element 0"),
                                      HasSubstr("123 in the reference"), HasSubstr("in main")));
  EXPECT_FALSE(std::filesystem::exists(package));
  options.reference = {{"confidense", wrong}};
  status = compile(kModel, package, options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the outputs are: action, heatmap, confidence"));
}

TEST_F(Compile, OptionsOutOfRangeAreNamed) {
  EXPECT_THAT(compile(kModel, path("p.pt2"), {.max_strategies = 0}).status().message(),
              HasSubstr("max_strategies"));
  EXPECT_THAT(compile(kModel, path("p.pt2"), {.tolerance = {-1, 0, 0}}).status().message(),
              HasSubstr("rtol is -1"));
}

// Writes the package anew with another manifest.
void replace_manifest(const std::string& path, const Manifest& manifest) {
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const std::string changed = path + ".changed";
  auto writer = ArchiveWriter::create(changed, "package");
  ASSERT_TRUE(writer.ok());
  for (const ArchiveEntry& entry : (*archive)->entries()) {
    const auto bytes = (*archive)->map(entry);
    ASSERT_TRUE(bytes.ok());
    std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    if (entry.name == "extra/manifest.json") text = manifest_to_json(manifest);
    ASSERT_TRUE((*writer)->add(entry.name, text).ok());
  }
  ASSERT_TRUE((*writer)->finish().ok());
  std::filesystem::rename(changed, path);
}

class Verify : public Compile {
 protected:
  void SetUp() override {
    package_ = path("package.pt2");
    const auto report = compile(kModel, package_, {.costs = CostSource::kNominal});
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    manifest_ = (*Package::open(package_))->manifest();
  }
  std::string package_;
  Manifest manifest_;
};

TEST_F(Verify, APackageIsWhatItWasCompiledToBe) {
  const auto report = verify_package(package_);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_TRUE(report->equal);
  ASSERT_EQ(report->strategies.size(), manifest_.strategies.size());
  EXPECT_EQ(report->strategies[0].strategy, "monolithic");
  for (const StrategyVerdict& verdict : report->strategies) {
    EXPECT_TRUE(verdict.equal) << verdict.strategy << ": " << verdict.difference;
    EXPECT_EQ(verdict.masks, 7);
  }
}

TEST_F(Verify, AStrategyThatReusesWhatIsStaleIsNamedWithElementAndValues) {
  Strategy& s = manifest_.strategies.back();
  ASSERT_EQ(s.name, "full_retention");
  for (MaskCost& mask : s.mask_costs) {
    if (mask.changed.size() == 1) std::erase(mask.runs, "segment_" + mask.changed[0]);
  }
  replace_manifest(package_, manifest_);
  const auto report = verify_package(package_);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_FALSE(report->equal);
  EXPECT_TRUE(report->strategies[0].equal);
  EXPECT_FALSE(report->strategies.back().equal);
  EXPECT_THAT(report->strategies.back().difference,
              AllOf(HasSubstr("differs first at element"), HasSubstr("in a full run"),
                    HasSubstr("in what was retained"), HasSubstr("when image changed")));
}

TEST_F(Verify, AReferenceThatDiffersIsInTheReport) {
  VerifyOptions options;
  options.reference = {{"confidence", Tensor::of<float>(DType::kFloat32, {1}, {123})}};
  const auto report = verify_package(package_, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_FALSE(report->equal);
  EXPECT_FALSE(report->strategies[0].equal);
  EXPECT_THAT(report->strategies[0].difference, HasSubstr("123 in the reference"));
}

TEST_F(Verify, ExamplesReplaceThoseInThePackage) {
  VerifyOptions options;
  options.examples = {
      {"control", Tensor::of<float>(DType::kFloat32, {1, 8}, {8, 7, 6, 5, 4, 3, 2, 1})}};
  const auto report = verify_package(package_, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_TRUE(report->equal);
  options.examples = {{"controls", Tensor::empty(DType::kFloat32, {1, 8})}};
  EXPECT_THAT(verify_package(package_, options).status().message(),
              HasSubstr("example for unknown input 'controls'"));
}

}  // namespace
}  // namespace changeaware
