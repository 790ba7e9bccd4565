// Regions of two engines. The exact one is OpenVINO here too, so that results can be compared bit
// by bit with those of one engine alone.
#include "engine/mixed/mixed_engine.h"

#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "engine/mixed/test_support.h"
#include "engine/openvino/test_support.h"

namespace changeaware::mixed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kChain = R"(graph(%x: f32[3], %y: f32[3]) {
  %k = constant f32[3] {10, 20, 30}
  %a: f32[3] = aten.add.Tensor(%x, %k)
  %b: f32[3] = aten.mul.Tensor(%a, %y)
  %c: f32[3] = aten.sub.Tensor(%b, %k)
  return (%c)
})";

const std::vector<Tensor>& chain_inputs() {
  static const std::vector<Tensor> inputs{floats({3}, {1, 2, 3}), floats({3}, {2, 2, 2})};
  return inputs;
}

TEST(MixedEngine, ARegionWithoutExactNodesIsTheFastEnginesAsItIs) {
  const TestEngine test = make_test_engine();
  EXPECT_EQ(test.engine->info().name, "fast");
  ASSERT_TRUE(test.engine->compile_identified(graph_of(kChain), "id").ok());
  EXPECT_THAT(test.recording->compiled, ElementsAre("fast: add, mul, sub"));
  EXPECT_THAT(test.recording->identities, ElementsAre("id"));
}

TEST(MixedEngine, ARegionOfExactNodesAloneIsOnePiece) {
  const TestEngine test = make_test_engine();
  ASSERT_TRUE(test.engine->compile(graph_of(kChain, {"a", "b", "c"})).ok());
  EXPECT_THAT(test.recording->compiled, ElementsAre("exact: add, mul, sub"));
}

TEST(MixedEngine, PiecesRunInOrderAndPassTensorsWithoutACopy) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile_identified(graph_of(kChain, {"b"}), "id");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  EXPECT_THAT(test.recording->compiled, ElementsAre("fast: add", "exact: mul", "fast: sub"));
  EXPECT_THAT(test.recording->identities, ElementsAre("id#0", "id#1", "id#2"));
  const auto out = run(**executable, chain_inputs(), 1);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[0]), ElementsAre(12, 24, 36));
  const auto& runs = test.recording->runs;
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_THAT(runs[0].inputs, ElementsAre(chain_inputs()[0].data()));
  EXPECT_THAT(runs[1].inputs, ElementsAre(runs[0].outputs[0], chain_inputs()[1].data()));
  EXPECT_THAT(runs[2].inputs, ElementsAre(runs[1].outputs[0]));
  EXPECT_EQ((*out)[0].data(), runs[2].outputs[0]);
}

TEST(MixedEngine, WhatNoPieceReadsAnyMoreIsLetGo) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(kChain, {"b"}));
  ASSERT_TRUE(executable.ok());
  std::vector<bool> gone;
  test.recording->before_run = [&](const RecordedRun&) {
    const auto& runs = test.recording->runs;
    if (runs.size() == 2)
      gone = {runs[0].output_storages[0].expired(), runs[1].output_storages[0].expired()};
  };
  ASSERT_TRUE(run(**executable, chain_inputs(), 1).ok());
  EXPECT_THAT(gone, ElementsAre(true, false));
}

TEST(MixedEngine, ADefinedOutputIsWrittenInPlaceByThePieceThatComputesIt) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(R"(graph(%x: f32[2]) {
    %a: f32[2] = aten.relu.default(%x)
    %b: f32[2] = aten.neg.default(%a)
    return (%a, %b)
  })",
                                                        {"b"}));
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out{floats({2}, {0, 0}), floats({2}, {0, 0})};
  const std::vector<const std::byte*> memory{out[0].data(), out[1].data()};
  const std::vector<Tensor> in{floats({2}, {3, -4})};
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_EQ(out[0].data(), memory[0]);
  EXPECT_EQ(out[1].data(), memory[1]);
  EXPECT_THAT(floats_of(out[0]), ElementsAre(3, 0));
  EXPECT_THAT(floats_of(out[1]), ElementsAre(-3, 0));
  EXPECT_EQ(test.recording->runs[1].inputs[0], memory[0]);
  out[1] = floats({3}, {0, 0, 0});
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"output 'b'", "[2]", "[3]"}));
}

TEST(MixedEngine, InputsConstantsAndValuesReturnedTwiceAreCopied) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(R"(graph(%x: f32[2], %unused: i64[1]) {
    %k = constant f32[2] {8, 9}
    %a: f32[2] = aten.relu.default(%x)
    %b: f32[2] = aten.neg.default(%a)
    return (%b, %x, %k, %b)
  })",
                                                        {"b"}));
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{floats({2}, {3, 4}), integers({1}, {1})};
  const auto out = run(**executable, in, 4);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[0]), ElementsAre(-3, -4));
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(3, 4));
  EXPECT_NE((*out)[1].data(), in[0].data());
  EXPECT_THAT(floats_of((*out)[2]), ElementsAre(8, 9));
  EXPECT_THAT(floats_of((*out)[3]), ElementsAre(-3, -4));
  EXPECT_NE((*out)[3].data(), (*out)[0].data());
}

TEST(MixedEngine, SymbolicSizesPassBetweenPieces) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(R"(graph(%x: f32[s0, 2]) {
    %a: f32[s0, 2] = aten.relu.default(%x)
    %n: sym = aten.sym_size.int(%a, 0)
    %m: sym = _operator.mul(%n, 2)
    %b: f32[s0, 2] = aten.neg.default(%a)
    %c: f32[2*s0] = aten.view.default(%b, [%m])
    return (%c, %m)
  })",
                                                        {"b"}));
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const auto out = run(**executable, {floats({3, 2}, {1, -1, 2, -2, 3, -3})}, 2);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[0]), ElementsAre(-1, 0, -2, 0, -3, 0));
  EXPECT_EQ(*(*out)[1].data_as<int64_t>(), 6);
}

struct RandomGraph {
  std::string text;
  std::vector<std::string> exact;
};

RandomGraph random_graph(std::mt19937& random) {
  // No products: a product and a sum become one operation, rounded once, when they meet in a piece.
  constexpr const char* kOps[] = {"add", "sub", "minimum", "maximum"};
  constexpr int kNodes = 12;
  RandomGraph out{"graph(%v0: f32[5], %v1: f32[5]) {\n", {}};
  for (int i = 2; i < kNodes; ++i) {
    const std::string op = kOps[random() % 4];
    out.text += "%v" + std::to_string(i) + ": f32[5] = aten." + op +
                (op.ends_with("imum") ? ".default" : ".Tensor") + "(%v" +
                std::to_string(random() % i) + ", %v" + std::to_string(random() % i) + ")\n";
    if (random() % 2 == 0) out.exact.push_back("v" + std::to_string(i));
  }
  out.text += "return (%v11, %v10, %v" + std::to_string(random() % kNodes) + ")\n}";
  return out;
}

TEST(MixedEngine, RandomGraphsGiveTheBitsOfOneEngine) {
  std::mt19937 random(3);
  for (int round = 0; round < 25; ++round) {
    const RandomGraph made = random_graph(random);
    const TestEngine test = make_test_engine();
    const auto mixed = test.engine->compile(graph_of(made.text, made.exact));
    ASSERT_TRUE(mixed.ok()) << mixed.status().to_string() << made.text;
    const auto whole = ovn::test_engine().compile(graph_of(made.text));
    ASSERT_TRUE(whole.ok()) << whole.status().to_string();
    const std::vector<Tensor> in{floats({5}, {1.5f, -2, 3, 0.1f, 7}),
                                 floats({5}, {0.3f, 4, -0.7f, 2, 1})};
    const auto got = run(**mixed, in, 3);
    const auto expected = run(**whole, in, 3);
    ASSERT_TRUE(got.ok() && expected.ok()) << got.status().to_string();
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(bit_identical((*got)[i], (*expected)[i])) << i << made.text;
    }
  }
}

TEST(MixedEngine, ConcurrentRunsDoNotDisturbEachOther) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(kChain, {"b"}));
  ASSERT_TRUE(executable.ok());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto x = static_cast<float>(t);
      const auto out = run(**executable, {floats({3}, {x, x, x}), chain_inputs()[1]}, 1);
      wrong += !out.ok() || floats_of((*out)[0])[0] != (x + 10) * 2 - 10;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MixedEngine, AnExactNodeWithoutTheExactEngineIsRefusedByName) {
  const TestEngine test = make_test_engine(false);
  const Status status = test.engine->compile(graph_of(kChain, {"b"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(
      status, {"mul", "aten.mul.Tensor", "needs the exact engine", "--build-torch-engine"}));
  EXPECT_TRUE(test.engine->compile(graph_of(kChain)).ok());
}

TEST(MixedEngine, AWrongInputIsRefusedByNameBeforeAnythingRuns) {
  const TestEngine test = make_test_engine();
  const auto executable = test.engine->compile(graph_of(kChain, {"b"}));
  ASSERT_TRUE(executable.ok());
  const auto status = [&](const std::vector<Tensor>& in) {
    return run(**executable, in, 1).status();
  };
  EXPECT_TRUE(mentions(status({chain_inputs()[0], floats({2}, {1, 2})}), {"input 'y'", "[2]"}));
  EXPECT_TRUE(mentions(status({chain_inputs()[0]}), {"1 inputs given, 2 expected"}));
  EXPECT_THAT(test.recording->runs, IsEmpty());
}

// Gives the same number whatever it is asked.
class NumberEngine final : public Engine {
 public:
  explicit NumberEngine(int64_t number) : number_(number) {}
  EngineInfo info() const override { return {"number", "1"}; }
  Result<std::unique_ptr<Executable>> compile(const Graph&) const override {
    return std::unique_ptr<Executable>(new Number(number_));
  }

 private:
  struct Number final : Executable {
    explicit Number(int64_t n) : number(n) {}
    Status run(std::span<const Tensor>, std::span<Tensor> outputs) const override {
      outputs[0] = integers({1}, {number});
      return {};
    }
    int64_t number;
  };
  int64_t number_;
};

TEST(MixedEngine, WideIntegersFromTheExactEngineDoNotReachTheFastOne) {
  const auto sum_after = [](int64_t number) {
    const auto engine =
        make_mixed_engine(std::make_unique<RecordingEngine>("fast", std::make_shared<Recording>()),
                          std::make_shared<NumberEngine>(number));
    const auto executable = engine->compile(graph_of(R"(graph(%x: i64[1]) {
      %a: i64[1] = aten.neg.default(%x)
      %b: i64[1] = aten.add.Tensor(%a, 1)
      return (%b)
    })",
                                                     {"a"}));
    EXPECT_TRUE(executable.ok()) << executable.status().to_string();
    return run(**executable, {integers({1}, {5})}, 1);
  };
  const auto narrow = sum_after(41);
  ASSERT_TRUE(narrow.ok()) << narrow.status().to_string();
  EXPECT_EQ(*(*narrow)[0].data_as<int64_t>(), 42);
  const Status wide = sum_after(int64_t{1} << 40).status();
  EXPECT_EQ(wide.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(wide, {"'a'", "32 bits"}));
}

TEST(MixedEngine, RefusalsLeaveOutWhatTheOthersRun) {
  const TestEngine test = make_test_engine();
  Graph graph = graph_of(R"(graph(%p: bool[], %x: f32[2], %y: f32[2]) {
    %a: f32[2] = aten.fmod.Tensor(%x, %y)
    %b: f32[2] = aten.fmod.Tensor(%y, %x)
    return (%a, %b)
  })",
                         {"a"});
  const char* body = "graph(%x: f32[2]) { return (%x) }";
  add_control_flow(
      graph, cond_schema(),
      {ValueRef{graph.find_value("p")}, nested(body), nested(body), values(graph, {"b"})},
      {tensor_value("c", DType::kFloat32, {2})});
  const auto refused = test.engine->refusals(graph);
  ASSERT_TRUE(refused.ok()) << refused.status().to_string();
  ASSERT_EQ(refused->size(), 1u);
  EXPECT_EQ((*refused)[0].node, 1u);
  EXPECT_THAT((*refused)[0].reason, ::testing::HasSubstr("exact quotient"));
}

}  // namespace
}  // namespace changeaware::mixed
