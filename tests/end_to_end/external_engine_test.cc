// Callables that run elsewhere: the session plans, retains and checks as for its own.
#include "changeaware/external_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <mutex>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTwoTowers = R"(graph(%x: f32[2, 32], %y: f32[2, 32]) {
  %wx = constant f32[32, 32] "x.weight"
  %wy = constant f32[32, 32] "y.weight"
  %wo = constant f32[32, 32] "out.weight"
  %f: f32[2, 32] = aten.linear.default(%x, %wx)
  %g: f32[2, 32] = aten.linear.default(%y, %wy)
  %s: f32[2, 32] = aten.add.Tensor(%f, %g)
  %out: f32[2, 32] = aten.linear.default(%s, %wo)
  return (%out)
})";

using Call = std::function<Status(std::span<const Tensor>, std::span<Tensor>)>;

// Adds up its inputs, whatever the callable does here.
Status add_up(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  outputs[0] = inputs[0].clone();
  auto* to = reinterpret_cast<float*>(outputs[0].mutable_data());
  for (const Tensor& input : inputs.subspan(1)) {
    for (int64_t i = 0; i < input.numel(); ++i) to[i] += input.data_as<float>()[i];
  }
  return {};
}

class Elsewhere : public ExternalEngine {
 public:
  explicit Elsewhere(Call call = add_up) : call_(std::move(call)) {}

  Result<std::unique_ptr<ExternalExecutable>> load(const Callable& callable) const override {
    loaded.push_back(callable.name);
    return std::unique_ptr<ExternalExecutable>(std::make_unique<Executable>(call_));
  }

  mutable std::vector<std::string> loaded;

 private:
  struct Executable : ExternalExecutable {
    explicit Executable(Call c) : call(std::move(c)) {}
    Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
      return call(inputs, outputs);
    }
    Call call;
  };
  const Call call_;
};

class ExternalEngineTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> session(std::shared_ptr<const ExternalEngine> engine) const {
    auto made = Session::create(program_.package(), {.external_engine = std::move(engine)});
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }

  const Inputs inputs_ = {{"x", noise({2, 32}, 1)}, {"y", noise({2, 32}, 2)}};
  const CompiledProgram program_{kTwoTowers, inputs_};
};

TEST_F(ExternalEngineTest, RunsWhatChangedAndNothingOfOurs) {
  const auto elsewhere = std::make_shared<Elsewhere>();
  const auto s = session(elsewhere);
  Inputs inputs = inputs_;
  EXPECT_THAT(elsewhere->loaded, IsEmpty());
  run(*s, inputs);
  EXPECT_THAT(elsewhere->loaded,
              ::testing::UnorderedElementsAre("segment_x", "segment_y", "segment_x+y"));
  inputs["y"] = noise({2, 32}, 3);
  const Response response = run(*s, inputs);
  EXPECT_THAT(response.report.ran, ElementsAre("segment_y", "segment_x+y"));
  EXPECT_THAT(response.report.reused, ElementsAre("segment_x"));
  std::vector<Tensor> sum(1);
  ASSERT_TRUE(add_up(std::vector<Tensor>{inputs["x"], inputs["y"]}, sum).ok());
  EXPECT_TRUE(bit_identical(response.outputs[0].tensor, sum[0]));
  EXPECT_THAT(elsewhere->loaded, ::testing::SizeIs(3));
}

TEST_F(ExternalEngineTest, ItsErrorsNameTheCallableAndRetainNothing) {
  const auto s = session(std::make_shared<Elsewhere>(
      [](auto, auto) { return Status(StatusCode::kIo, "the asset is gone"); }));
  const auto response = s->run({.inputs = inputs_});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.status().code(), StatusCode::kIo);
  EXPECT_THAT(response.status().message(), HasSubstr("callable 'segment_"));
  EXPECT_THAT(response.status().message(), HasSubstr("the asset is gone"));
  EXPECT_EQ(s->stats().retained_bytes, 0u);
}

TEST_F(ExternalEngineTest, OutputsThatDoNotFitTheirPortAreNamed) {
  const std::vector<Call> calls = {
      [](auto, auto) { return Status(); },
      [](auto, auto outputs) {
        outputs[0] = noise({2, 31}, 1);
        return Status();
      },
      [](auto, auto outputs) {
        outputs[0] = i64({2, 32}, std::vector<int64_t>(64, 1));
        return Status();
      },
  };
  for (const Call& wrong : calls) {
    const auto response = session(std::make_shared<Elsewhere>(wrong))->run({.inputs = inputs_});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.status().code(), StatusCode::kInternal);
    EXPECT_THAT(response.status().message(), HasSubstr("the external engine gave"));
    EXPECT_THAT(response.status().message(),
                ::testing::AnyOf(HasSubstr("'f"), HasSubstr("'g"), HasSubstr("'linear")));
  }
}

TEST_F(ExternalEngineTest, ValuesThatTheFastEngineDoesNotComputeAreRefused) {
  const auto s = session(std::make_shared<Elsewhere>());
  Inputs inputs = inputs_;
  inputs["x"] = f32({2, 32}, std::vector<float>(64, std::numeric_limits<float>::quiet_NaN()));
  const auto response = s->run({.inputs = inputs});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(response.status().message(), HasSubstr("x"));
}

TEST_F(ExternalEngineTest, DenseInputsAreNotCopied) {
  std::mutex mutex;
  std::vector<const std::byte*> seen;
  const auto s = session(std::make_shared<Elsewhere>([&](auto inputs, auto outputs) {
    const std::lock_guard lock(mutex);
    for (const Tensor& input : inputs) seen.push_back(input.data());
    return add_up(inputs, outputs);
  }));
  const Response dense = run(*s, inputs_);
  EXPECT_EQ(dense.report.copied_input_bytes, 0u);
  EXPECT_THAT(seen, ::testing::Contains(inputs_.at("x").data()));
  Inputs inputs = inputs_;
  const Tensor transposed = noise({32, 2}, 4);
  inputs["x"] = *Tensor::view(DType::kFloat32, {2, 32}, {1, 2}, 0, transposed.storage());
  EXPECT_EQ(run(*s, inputs).report.copied_input_bytes, 2u * 32 * sizeof(float));
}

}  // namespace
}  // namespace changeaware::testing
