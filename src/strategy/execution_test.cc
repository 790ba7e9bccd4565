#include "strategy/execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "engine/openvino/openvino_engine.h"
#include "strategy/strategy_check.h"
#include "strategy/test_program.h"

namespace changeaware::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Changes an output of the run with this number (0 = the first) of an executable.
using Meddle = std::function<void(const std::string& output, int run, Tensor& tensor)>;

class MeddledExecutable : public Executable {
 public:
  MeddledExecutable(std::unique_ptr<Executable> real, std::vector<std::string> outputs,
                    Meddle meddle)
      : real_(std::move(real)), outputs_(std::move(outputs)), meddle_(std::move(meddle)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    CA_RETURN_IF_ERROR(real_->run(inputs, outputs));
    for (size_t i = 0; i < outputs.size(); ++i) meddle_(outputs_[i], runs_, outputs[i]);
    ++runs_;
    return {};
  }

 private:
  std::unique_ptr<Executable> real_;
  std::vector<std::string> outputs_;
  Meddle meddle_;
  mutable int runs_ = 0;
};

// The real engine, whose executables lie about their outputs. `main`, which is compiled first, is
// left alone.
class MeddledEngine : public Engine {
 public:
  explicit MeddledEngine(Meddle meddle) : meddle_(std::move(meddle)) {
    auto engine = make_openvino_engine({.threads = 1});
    EXPECT_TRUE(engine.ok()) << engine.status().to_string();
    real_ = *std::move(engine);
  }
  EngineInfo info() const override { return real_->info(); }
  Result<std::unique_ptr<Executable>> compile(const Graph& graph) const override {
    CA_ASSIGN_OR_RETURN(auto real, real_->compile(graph));
    if (compiled_++ == 0) return real;
    std::vector<std::string> outputs;
    for (const Argument& output : graph.outputs()) {
      outputs.push_back(graph.value(std::get<ValueRef>(output).id).name);
    }
    return std::unique_ptr<Executable>(
        new MeddledExecutable(std::move(real), std::move(outputs), meddle_));
  }

 private:
  std::unique_ptr<Engine> real_;
  Meddle meddle_;
  mutable int compiled_ = 0;
};

void no_meddling(const std::string&, int, Tensor&) {}

// Multiplies element `index` of `output`.
Meddle scale(const std::string& output, int64_t index, float factor, int from_run = 0) {
  return [=](const std::string& name, int run, Tensor& tensor) {
    if (name != output || run < from_run) return;
    reinterpret_cast<float*>(tensor.mutable_data())[index] *= factor;
  };
}

// Two towers and what joins them: three segments.
const char* const kTowers = R"(graph(%x: f32[1, 4], %y: f32[1, 4]) {
  %w = constant f32[4, 4] {1, 0, 0, 0,  0, 2, 0, 0,  0, 0, 3, 0,  0, 0, 0, 4}
  %a: f32[1, 4] = aten.linear.default(%x, %w)
  %b: f32[1, 4] = aten.linear.default(%y, %w)
  %c: f32[1, 4] = aten.mul.Tensor(%a, %b)
  return (%c, %a)
})";

Result<Execution> run(const TestProgram& p, const Meddle& meddle = no_meddling,
                      const ExecutionOptions& options = {}) {
  return execute(MeddledEngine(meddle), p.manifest, p.regions, p.examples, options);
}

TEST(Execution, EverySetOfChangedInputsIsExecutedAndStrategiesAreEqual) {
  const TestProgram p = make_test_program(kTowers);
  ASSERT_EQ(p.manifest.callables.size(), 4);
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  EXPECT_EQ(execution->sets.size(), 4);
  EXPECT_TRUE(execution->is_complete);
  EXPECT_EQ(execution->coverage, "all 3 sets of changed inputs");
  for (const ExecutedSet& set : execution->sets) EXPECT_TRUE(set.bits_of_main) << set.label;
  const StrategyCheck check = check_strategy(p.manifest, p.manifest.strategies[1], *execution);
  EXPECT_TRUE(check.equal) << check.difference;
  EXPECT_TRUE(check.bits_of_main);
  EXPECT_THAT(check.difference, IsEmpty());
}

TEST(Execution, CostsAreMeasuredForEveryCallable) {
  const TestProgram p = make_test_program(kTowers);
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  ASSERT_EQ(execution->costs.size(), p.manifest.callables.size());
  for (size_t i = 0; i < execution->costs.size(); ++i) {
    const CallableCosts& costs = execution->costs[i];
    EXPECT_GT(costs.steady_us, 0);
    EXPECT_GE(costs.p95_us, costs.steady_us);
    EXPECT_GT(costs.cold_us, 0);
    EXPECT_GT(costs.load_us, 0);
    EXPECT_GT(costs.resident_bytes, 0u);
  }
}

TEST(Execution, NominalCostsAreTheSameEveryTimeAndLoadForFree) {
  const TestProgram p = make_test_program(kTowers);
  const auto one = run(p, no_meddling, {.measure = false});
  const auto two = run(p, no_meddling, {.measure = false});
  ASSERT_TRUE(one.ok() && two.ok());
  for (size_t i = 0; i < one->costs.size(); ++i) {
    EXPECT_GT(one->costs[i].steady_us, 0);
    EXPECT_EQ(one->costs[i].steady_us, two->costs[i].steady_us);
    EXPECT_EQ(one->costs[i].load_us, 0);
    EXPECT_EQ(one->costs[i].resident_bytes, p.manifest.callables[i].weight_bytes);
  }
}

TEST(Execution, AValueThatWasRetainedAndIsStaleIsNamedWithElementAndValues) {
  TestProgram p = make_test_program(kTowers);
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  // Claims that a change of x leaves the tower of x alone.
  Strategy& s = p.manifest.strategies[1];
  s.mask_costs = {{.changed = {"x"}, .runs = {s.callables.back()}}};
  const StrategyCheck check = check_strategy(p.manifest, s, *execution);
  EXPECT_FALSE(check.equal);
  EXPECT_THAT(check.difference, AllOf(HasSubstr("reads 'a'"), HasSubstr("at element 0"),
                                      HasSubstr("1.0078125 in a full run, 1 in what was retained"),
                                      HasSubstr("when x changed")));
  // The same for what the program returns.
  s.mask_costs = {{.changed = {"x"}, .runs = {}}};
  EXPECT_THAT(
      check_strategy(p.manifest, s, *execution).difference,
      AllOf(HasSubstr("output 'out_c' differs first at element 0"), HasSubstr("1.0078125")));
}

TEST(Execution, AValueThatIsNeitherRetainedNorComputedIsNamed) {
  TestProgram p = make_test_program(kTowers);
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  Strategy& s = p.manifest.strategies[1];
  s.retained = {"a", "c"};
  EXPECT_TRUE(check_strategy(p.manifest, s, *execution).equal) << "its recipe computes b again";
  s.mask_costs = {{.changed = {"x"}, .runs = {"segment_x", s.callables.back()}}};
  EXPECT_THAT(check_strategy(p.manifest, s, *execution).difference,
              HasSubstr("reads 'b', which is neither retained nor computed when x changed"));
}

TEST(Execution, ASegmentThatComputesSomethingElseContradictsMain) {
  const TestProgram p = make_test_program(kTowers);
  const auto execution = run(p, scale("c", 2, 2));
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  for (const ExecutedSet& set : execution->sets) EXPECT_TRUE(set.contradicts_main);
  EXPECT_THAT(execution->sets[0].difference,
              HasSubstr("output 'out_c' differs first at element 2: 81 in main, 162 in the "
                        "segments"));
  EXPECT_THAT(execution->sets[1].difference, HasSubstr("with x changed"));
  EXPECT_FALSE(check_strategy(p.manifest, p.manifest.strategies[1], *execution).equal);
}

TEST(Execution, LastBitsMayDifferWithinTheToleranceOnly) {
  const TestProgram p = make_test_program(kTowers);
  const Meddle last_bits = scale("c", 3, 1.000001f);
  const auto tolerant = run(p, last_bits);
  ASSERT_TRUE(tolerant.ok()) << tolerant.status().to_string();
  const StrategyCheck equal = check_strategy(p.manifest, p.manifest.strategies[1], *tolerant);
  EXPECT_TRUE(equal.equal);
  EXPECT_FALSE(equal.bits_of_main);
  EXPECT_THAT(equal.difference,
              HasSubstr("output 'out_c' differs first at element 3: 256 in main"));

  const auto strict = run(p, last_bits, {.tolerance = {0, 0, 0}});
  ASSERT_TRUE(strict.ok()) << strict.status().to_string();
  EXPECT_FALSE(strict->sets[0].contradicts_main);
  EXPECT_FALSE(check_strategy(p.manifest, p.manifest.strategies[1], *strict).equal);
}

TEST(Execution, ASegmentThatIsNotDeterministicIsNamed) {
  const TestProgram p = make_test_program(kTowers);
  const Status status = run(p, scale("b", 1, 1.000001f, 1)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("segment_y: not deterministic"),
                                      HasSubstr("'b' differs first at element 1: 4 in one run")));
}

TEST(Execution, ADependencyThatTheManifestHidesContradictsMain) {
  TestProgram p = make_test_program(kTowers);
  Callable& tower = p.manifest.callables[1];
  ASSERT_EQ(tower.name, "segment_x");
  tower.dependencies.clear();
  p.manifest.callables[3].dependencies = {"y"};
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  const ExecutedSet& x = execution->sets[1];
  ASSERT_EQ(x.label, "x");
  EXPECT_TRUE(x.contradicts_main);
  EXPECT_THAT(x.difference, AllOf(HasSubstr("1.0078125 in main, 1 in the segments"),
                                  HasSubstr("with x changed")));
}

TEST(Execution, BeyondSixInputsACoveringSampleIsExecuted) {
  const TestProgram p = make_test_program(R"(graph(%a: f32[2], %b: f32[2], %c: f32[2], %d: f32[2],
      %e: f32[2], %f: f32[2], %g: f32[2]) {
    %1: f32[2] = aten.add.Tensor(%a, %b)
    %2: f32[2] = aten.add.Tensor(%c, %d)
    %3: f32[2] = aten.add.Tensor(%e, %f)
    %4: f32[2] = aten.add.Tensor(%1, %2)
    %5: f32[2] = aten.add.Tensor(%3, %g)
    %6: f32[2] = aten.mul.Tensor(%4, %5)
    return (%6)
  })");
  const auto execution = run(p, no_meddling, {.measure = false});
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  EXPECT_EQ(execution->sets.size(), 1 + 7 + 7 + 1);
  EXPECT_FALSE(execution->is_complete);
  EXPECT_EQ(execution->coverage,
            "15 sets of changed inputs (each alone, all but each, all): there are more than 6 "
            "inputs");
}

const char* const kFour = R"(graph(%a: f32[2], %b: f32[2], %c: f32[2], %d: f32[2]) {
  %1: f32[2] = aten.add.Tensor(%a, %b)
  %2: f32[2] = aten.add.Tensor(%c, %d)
  %3: f32[2] = aten.mul.Tensor(%1, %2)
  return (%3)
})";

TEST(Execution, WhatWouldTakeTooLongOrTooMuchMemoryIsSampled) {
  const TestProgram p = make_test_program(kFour);
  const auto all = run(p, no_meddling, {.measure = false});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->sets.size(), 16);
  const auto slow = run(p, no_meddling, {.measure = false, .most_main_us = 0});
  ASSERT_TRUE(slow.ok());
  EXPECT_EQ(slow->sets.size(), 1 + 4 + 4 + 1);
  EXPECT_THAT(slow->coverage, HasSubstr("all would take main"));
  const auto large = run(p, no_meddling, {.measure = false, .most_kept_bytes = 0});
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(large->sets.size(), 1 + 4 + 4 + 1);
  EXPECT_THAT(large->coverage, HasSubstr("MiB"));
}

const char* const kAsserted = R"(graph(%x: f32[1], %y: f32[1]) {
  %ok: bool[1] = aten.le.Tensor(%x, %y)
  %c: f32[1] = aten.mul.Tensor(%x, %y)
  assert %ok "x must not exceed y"
  return (%c)
})";

TEST(Execution, ASetThatTheProgramRefusesIsLeftOutAndRecorded) {
  const TestProgram p = make_test_program(kAsserted);
  const auto execution = run(p);
  ASSERT_TRUE(execution.ok()) << execution.status().to_string();
  EXPECT_EQ(execution->sets.size(), 3) << "none, y, both";
  EXPECT_FALSE(execution->is_complete);
  ASSERT_EQ(execution->left_out.size(), 1);
  EXPECT_EQ(execution->left_out[0].candidate, "changed inputs: x");
  EXPECT_THAT(execution->left_out[0].reason, HasSubstr("x must not exceed y"));
}

TEST(Execution, AProgramThatRefusesItsExamplesIsAFailedAssertion) {
  TestProgram p = make_test_program(kAsserted);
  p.examples[0] = Tensor::of<float>(DType::kFloat32, {1}, {5});
  const Status status = run(p).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedAssertion);
  EXPECT_THAT(status.message(), HasSubstr("x must not exceed y"));
}

TEST(Execution, TheReferenceIsComparedWithMain) {
  const TestProgram p = make_test_program(kTowers);
  const auto with = [&](const std::string& name, Tensor tensor) {
    return run(p, no_meddling,
               {.references = {{"the reference", {{name, std::move(tensor)}}, {}}}});
  };
  const auto right = with("out_a", Tensor::of<float>(DType::kFloat32, {1, 4}, {1, 4, 9, 16}));
  ASSERT_TRUE(right.ok()) << right.status().to_string();
  EXPECT_THAT(right->reference_differences[0], IsEmpty());
  const auto wrong = with("out_a", Tensor::of<float>(DType::kFloat32, {1, 4}, {1, 4, 9.5, 16}));
  ASSERT_TRUE(wrong.ok()) << wrong.status().to_string();
  EXPECT_EQ(wrong->reference_differences[0],
            "output 'out_a' differs first at element 2: 9.5 in the reference, 9 in main");
  EXPECT_THAT(with("a", Tensor::empty(DType::kFloat32, {1, 4})).status().message(),
              HasSubstr("reference for 'a', which is no output; the outputs are: out_c, out_a"));
  EXPECT_THAT(with("out_a", Tensor::empty(DType::kInt64, {1, 4})).status().message(),
              HasSubstr("reference for output 'out_a' is int64 [1, 4]"));
}

}  // namespace
}  // namespace changeaware::testing
