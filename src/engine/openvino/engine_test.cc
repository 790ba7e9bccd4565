// The engine's contract, on graphs of a few nodes.
#include <cstring>
#include <thread>
#include <tuple>

#include "engine/openvino/test_support.h"

namespace changeaware::ovn {
namespace {

using ::testing::AssertionResult;

AssertionResult mentions(const Status& status, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (status.message().find(word) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << word << "\" in: " << status.to_string();
    }
  }
  return ::testing::AssertionSuccess();
}

Status run_status(const std::string& graph, const std::vector<Numbers>& inputs) {
  return run_text(graph, inputs).status();
}

constexpr const char* kTwoInputs = R"(graph(%a: f32[2, 2], %b: f32[2]) {
  %w = constant f32[2, 2] {1, 2, 3, 4}
  %p: f32[2, 2] = aten.mm.default(%a, %w)
  %s: f32[2, 2] = aten.add.Tensor(%p, %b)
  %r: f32[2, 2] = aten.relu.default(%s)
  return (%r, %p)
})";

TEST(OpenVinoEngine, SaysItsNameAndVersion) {
  EXPECT_EQ(test_engine().info().name, "openvino");
  EXPECT_EQ(test_engine().info().version.rfind("20", 0), 0u) << test_engine().info().version;
}

TEST(OpenVinoEngine, RunsAGraph) {
  const auto out = run_text(kTwoInputs, {{"f32[2, 2]", {1, 0, 0, -1}}, {"f32[2]", {10, 3}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[2, 2]", {11, 5, 7, 0}}));
  EXPECT_TRUE(matches((*out)[1], {"f32[2, 2]", {1, 2, -3, -4}}));
}

TEST(OpenVinoEngine, TheSameInputsGiveTheSameBits) {
  const auto executable = compile_text(R"(graph(%a: f32[64, 64], %b: f32[64, 64]) {
    %p: f32[64, 64] = aten.mm.default(%a, %b)
    %s: f32[64, 64] = aten.softmax.int(%p, -1)
    return (%s)
  })");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<double> numbers(64 * 64);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  const std::vector<Tensor> in(2, tensor_of({"f32[64, 64]", numbers}));
  std::vector<Tensor> first(1), second(1);
  ASSERT_TRUE((*executable)->run(in, first).ok());
  ASSERT_TRUE((*executable)->run(in, second).ok());
  EXPECT_TRUE(bit_identical(first[0], second[0]));
}

TEST(OpenVinoEngine, ADefinedOutputIsWrittenInPlace) {
  const auto executable = compile_text(kTwoInputs);
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{tensor_of({"f32[2, 2]", {1, 0, 0, 1}}),
                               tensor_of({"f32[2]", {0, 0}})};
  std::vector<Tensor> out{Tensor::empty(DType::kFloat32, {2, 2}), Tensor()};
  const std::byte* memory = out[0].data();
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_EQ(out[0].data(), memory);
  EXPECT_TRUE(matches(out[0], {"f32[2, 2]", {1, 2, 3, 4}}));
  out = {Tensor::empty(DType::kFloat32, {4}), Tensor()};
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"output 'r'", "[2, 2]", "[4]"}));
}

TEST(OpenVinoEngine, AnEarlierCallersMemoryIsLeftAlone) {
  const auto executable = compile_text(kTwoInputs);
  ASSERT_TRUE(executable.ok());
  const Tensor bias = tensor_of({"f32[2]", {0, 0}});
  std::vector<Tensor> first(2), second(2);
  ASSERT_TRUE((*executable)
                  ->run(std::vector<Tensor>{tensor_of({"f32[2, 2]", {1, 0, 0, 1}}), bias}, first)
                  .ok());
  const Tensor kept = first[0].clone();
  ASSERT_TRUE((*executable)
                  ->run(std::vector<Tensor>{tensor_of({"f32[2, 2]", {5, 5, 5, 5}}), bias}, second)
                  .ok());
  EXPECT_TRUE(bit_identical(first[0], kept));
}

TEST(OpenVinoEngine, InputsAreNotWritten) {
  const auto executable = compile_text(R"(graph(%a: f32[2, 2]) {
    %b: f32[2, 2] = aten.mul.Tensor(%a, 2)
    %v: f32[4] = aten.view.default(%b, [4])
    %c: f32[4] = aten.add.Tensor(%v, 1)
    %u: f32[4] = aten.view.default(%a, [4])
    return (%c, %u)
  })");
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{tensor_of({"f32[2, 2]", {1, 2, 3, 4}})};
  std::vector<Tensor> out(2);
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_TRUE(matches(in[0], {"f32[2, 2]", {1, 2, 3, 4}}));
  EXPECT_TRUE(matches(out[0], {"f32[4]", {3, 5, 7, 9}}));
  EXPECT_TRUE(matches(out[1], {"f32[4]", {1, 2, 3, 4}}));
  EXPECT_NE(out[1].data(), in[0].data());
}

TEST(OpenVinoEngine, AnInputWithoutAValueIsRefusedByName) {
  const auto executable = compile_text(kTwoInputs);
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out(2);
  std::vector<Tensor> in{tensor_of({"f32[2, 2]", {1, 0, 0, 1}}), Tensor()};
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"input 'b' has no value"}));
  in.pop_back();
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"1 inputs given, 2 expected"}));
}

TEST(OpenVinoEngine, AWrongDtypeOrShapeIsRefusedByName) {
  const Numbers b{"f32[2]", {0, 0}};
  const Status dtype = run_status(kTwoInputs, {{"i64[2, 2]", {1, 2, 3, 4}}, b});
  EXPECT_EQ(dtype.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(mentions(dtype, {"input 'a'", "float32[2, 2]", "int64[2, 2]"}));
  EXPECT_TRUE(mentions(run_status(kTwoInputs, {{"f32[3, 2]", {1, 2, 3, 4, 5, 6}}, b}),
                       {"input 'a'", "[3, 2]"}));
  EXPECT_TRUE(
      mentions(run_status(kTwoInputs, {{"f32[4]", {1, 2, 3, 4}}, b}), {"input 'a'", "[4]"}));
}

TEST(OpenVinoEngine, UnusedInputsAreCheckedAndOtherwiseIgnored) {
  // OpenVINO's frontend drops a first parameter that nothing reads.
  const char* graph = R"(graph(%unused: f32[2], %a: f32[2], %also_unused: f32[1], %b: f32[2]) {
    %c: f32[2] = aten.sub.Tensor(%a, %b)
    return (%c)
  })";
  const auto out = run_text(
      graph, {{"f32[2]", {9, 9}}, {"f32[2]", {5, 6}}, {"f32[1]", {7}}, {"f32[2]", {1, 2}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[2]", {4, 4}}));
  EXPECT_TRUE(mentions(
      run_status(graph,
                 {{"f32[3]", {9, 9, 9}}, {"f32[2]", {5, 6}}, {"f32[1]", {7}}, {"f32[2]", {1, 2}}}),
      {"input 'unused'"}));
}

TEST(OpenVinoEngine, OneValueMayBeReturnedTwiceAndInputsAndConstantsToo) {
  const auto out = run_text(R"(graph(%img: f32[2], %txt: f32[2]) {
    %k = constant f32[2] {8, 9}
    %a: f32[2] = aten.relu.default(%img)
    %b: f32[2] = aten.add.Tensor(%a, %txt)
    return (%a, %b, %a, %img, %k)
  })",
                            {{"f32[2]", {-1, 2}}, {"f32[2]", {10, 20}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  ASSERT_EQ(out->size(), 5u);
  EXPECT_TRUE(matches((*out)[0], {"f32[2]", {0, 2}}));
  EXPECT_TRUE(matches((*out)[1], {"f32[2]", {10, 22}}));
  EXPECT_TRUE(matches((*out)[2], {"f32[2]", {0, 2}}));
  EXPECT_TRUE(matches((*out)[3], {"f32[2]", {-1, 2}}));
  EXPECT_TRUE(matches((*out)[4], {"f32[2]", {8, 9}}));
  EXPECT_NE((*out)[0].data(), (*out)[2].data());
}

TEST(OpenVinoEngine, AGraphOfNothingButInputsAndConstantsRuns) {
  const auto out = run_text("graph(%a: f32[2]) {\n %k = constant f32[1] {3}\n return (%a, %k)\n}",
                            {{"f32[2]", {1, 2}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[2]", {1, 2}}));
  EXPECT_TRUE(matches((*out)[1], {"f32[1]", {3}}));
}

TEST(OpenVinoEngine, ManyOutputsKeepTheirOrder) {
  const auto out = run_text(R"(graph(%a: f32[1]) {
    %b: f32[1] = aten.add.Tensor(%a, 1)
    %c: f32[1] = aten.add.Tensor(%b, 1)
    %d: f32[1] = aten.add.Tensor(%c, 1)
    %e: f32[1] = aten.clone.default(%c)
    return (%d, %b, %e, %c)
  })",
                            {{"f32[1]", {0}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[1]", {3}}));
  EXPECT_TRUE(matches((*out)[1], {"f32[1]", {1}}));
  EXPECT_TRUE(matches((*out)[2], {"f32[1]", {2}}));
  EXPECT_TRUE(matches((*out)[3], {"f32[1]", {2}}));
}

TEST(OpenVinoEngine, StridedInputsAndConstantsAreRead) {
  auto graph = parse_graph(R"(graph(%x: f32[1, 3]) {
    %w = constant f32[3, 2] {0, 0, 0, 0, 0, 0}
    %y: f32[1, 2] = aten.mm.default(%x, %w)
    return (%y)
  })");
  ASSERT_TRUE(graph.ok());
  // arange(6).reshape(2, 3).T, and every other number of a row.
  const Tensor stored = tensor_of({"f32[6]", {0, 1, 2, 3, 4, 5}});
  auto weight = Tensor::view(DType::kFloat32, {3, 2}, {1, 3}, 0, stored.storage());
  ASSERT_TRUE(weight.ok());
  Graph strided = *graph;
  Constant constant = strided.constants()[0];
  constant.tensor = *weight;
  strided = Graph();
  for (const Value& value : graph->values()) strided.add_value(value);
  for (ValueId input : graph->inputs()) strided.add_input(input);
  strided.add_constant(constant);
  for (const Node& node : graph->nodes()) strided.add_node(node);
  for (const Argument& output : graph->outputs()) strided.add_output(output);
  const auto executable = test_engine().compile(strided);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Tensor wide = tensor_of({"f32[1, 6]", {1, 9, 1, 9, 1, 9}});
  const auto every_other = Tensor::view(DType::kFloat32, {1, 3}, {6, 2}, 0, wide.storage());
  std::vector<Tensor> out(1);
  ASSERT_TRUE((*executable)->run(std::vector<Tensor>{*every_other}, out).ok());
  EXPECT_TRUE(matches(out[0], {"f32[1, 2]", {3, 12}}));
}

TEST(OpenVinoEngine, EmptyTensorsGoInAndOut) {
  const auto out = run_text(R"(graph(%a: f32[0, 3], %b: f32[2]) {
    %c: f32[0, 3] = aten.mul.Tensor(%a, 2)
    %d: f32[2] = aten.mul.Tensor(%b, 2)
    %e: f32[0] = aten.slice.Tensor(%b, 0, 2, 2)
    return (%c, %d, %e)
  })",
                            {{"f32[0, 3]", {}}, {"f32[2]", {1, 2}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_EQ((*out)[0].shape(), (Shape{0, 3}));
  EXPECT_TRUE(matches((*out)[1], {"f32[2]", {2, 4}}));
  EXPECT_EQ((*out)[2].shape(), (Shape{0}));
}

TEST(OpenVinoEngine, SymbolicSizesRunAtEverySize) {
  const auto executable = compile_text(R"(graph(%x: f32[s0, 2], %y: f32[s0, 2]) {
    %n: sym(s0) = aten.sym_size.int(%x, 0)
    %m: sym(2*s0) = _operator.mul(%n, 2)
    %s: f32[s0, 2] = aten.add.Tensor(%x, %y)
    %f: f32[2*s0] = aten.view.default(%s, [%m])
    return (%f, %n)
  })");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  for (int64_t n : {1, 3, 2}) {
    const Tensor x = Tensor::of<float>(DType::kFloat32, {n, 2},
                                       std::vector<float>(static_cast<size_t>(2 * n), 1.5f));
    std::vector<Tensor> out(2);
    const Status status = (*executable)->run(std::vector<Tensor>{x, x}, out);
    ASSERT_TRUE(status.ok()) << status.to_string();
    EXPECT_EQ(out[0].shape(), (Shape{2 * n}));
    EXPECT_EQ(values_of(out[0]), std::vector<double>(static_cast<size_t>(2 * n), 3.0));
    EXPECT_TRUE(matches(out[1], {"i64[]", {static_cast<double>(n)}}));
  }
  std::vector<Tensor> out(2);
  const std::vector<Tensor> uneven{Tensor::empty(DType::kFloat32, {1, 2}),
                                   Tensor::empty(DType::kFloat32, {3, 2})};
  EXPECT_TRUE(mentions((*executable)->run(uneven, out), {"input 'y'", "s0"}));
}

TEST(OpenVinoEngine, TwoThreadsOnOneExecutableGetTheSameBits) {
  const auto executable = compile_text(kTwoInputs);
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{tensor_of({"f32[2, 2]", {1, 2, 3, 4}}),
                               tensor_of({"f32[2]", {.5, .25}})};
  std::vector<Tensor> expected(2);
  ASSERT_TRUE((*executable)->run(in, expected).ok());
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&, result = &count] {
      for (int i = 0; i < 50; ++i) {
        std::vector<Tensor> out(2);
        const Status status = (*executable)->run(in, out);
        if (!status.ok() || !bit_identical(out[0], expected[0])) ++*result;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(OpenVinoEngine, AnOperatorWithoutAConversionIsUnsupportedByName) {
  const Status status = compile_text(R"(graph(%a: f32[2]) {
    %b: f32[2] = aten.add.Tensor(%a, 1)
    %c: f32[2] = aten.lgamma.default(%b)
    return (%c)
  })")
                            .status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(status, {"'c'", "aten.lgamma.default"}));
}

TEST(OpenVinoEngine, AResultUnlikeItsDescriptionIsUnsupportedByName) {
  const Status status = compile_text(R"(graph(%a: f32[2]) {
    %b: f32[2, 1] = aten.relu.default(%a)
    return (%b)
  })")
                            .status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(status, {"'b'", "aten.relu.default", "expected f32[2,1]", "got f32[2]"}));
}

TEST(OpenVinoEngine, AnInteriorResultIsCheckedToo) {
  // OpenVINO keeps int64 where PyTorch gives float32.
  const Status status = compile_text(R"(graph(%a: i64[2]) {
    %b: f32[2] = aten.clamp_min.default(%a, 0.5)
    %c: i64[2] = aten.relu.default(%a)
    %d: f32[2] = aten.relu.default(%c)
    %e: f32[2] = aten.add.Tensor(%d, %b)
    return (%e)
  })")
                            .status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(status, {"'d'", "expected f32[2]", "got i64[2]"}));
}

struct RefusedCase {
  const char* graph;
  std::vector<std::string> words;
};

TEST(OpenVinoEngine, WhatItWouldGetWrongIsRefusedByNameAndReason) {
  const std::vector<RefusedCase> cases = {
      {"graph(%a: f64[2]) {\n %b: f64[2] = aten.add.Tensor(%a, 1)\n return (%b)\n}",
       {"'b'", "float64 is computed in float32"}},
      {"graph(%a: f16[2]) {\n %b: f16[2] = aten.add.Tensor(%a, 1)\n return (%b)\n}",
       {"'b'", "float16"}},
      {"graph(%a: i64[2]) {\n %b: i64[2] = aten.add.Tensor(%a, 1099511627776)\n return (%b)\n}",
       {"'b'", "outside int32"}},
      {"graph(%a: i64[1]) {\n %k = constant i64[1] {1099511627776}\n"
       " %b: i64[1] = aten.add.Tensor(%a, %k)\n return (%b)\n}",
       {"constant 'k'", "1099511627776"}},
      {"graph(%a: u8[2]) {\n %b: u8[2] = aten.add.Tensor(%a, 1)\n return (%b)\n}",
       {"'b'", "saturates"}},
      {"graph(%a: i64[2], %c: i64[2]) {\n %b: i64[2] = aten.gcd.default(%a, %c)\n"
       " return (%b)\n}",
       {"'b'", "aten.gcd.default"}},
      {"graph(%a: f32[1, 1, s0, s1]) {\n"
       " %b: f32[1, 1, 2, 2] = aten.upsample_bicubic2d.vec(%a, [2, 2], False, None)\n"
       " return (%b)\n}",
       {"'b'", "unknown size"}},
      {"graph(%a: f32[2], %c: f32[2]) {\n %b: f32[2] = aten.floor_divide.default(%a, %c)\n"
       " return (%b)\n}",
       {"'b'", "power of two"}},
      {"graph(%a: i64[2]) {\n %b: i64[2] = aten.floor_divide.Scalar(%a, 0)\n return (%b)\n}",
       {"'b'", "division by zero"}},
      {"graph(%a: i64[2]) {\n %b: f32[2] = aten.clamp.default(%a, 0.5)\n"
       " %c: f32[2] = aten.atan2.default(%a, %b)\n return (%c, %b)\n}",
       {"'c'", "aten.atan2.default"}},
  };
  for (const RefusedCase& c : cases) {
    const Status status = compile_text(c.graph).status();
    EXPECT_FALSE(status.ok()) << c.graph;
    EXPECT_TRUE(mentions(status, c.words)) << c.graph;
  }
}

constexpr const char* kEmbedding = R"(graph(%table: f32[3, 2], %ids: i64[2]) {
  %e: f32[2, 2] = aten.embedding.default(%table, %ids)
  return (%e)
})";
const Numbers kTable{"f32[3, 2]", {1, 2, 3, 4, 5, 6}};

TEST(Guards, AnEmbeddingIndexOutsideTheTableIsAnError) {
  EXPECT_TRUE(run_text(kEmbedding, {kTable, {"i64[2]", {0, 2}}}).ok());
  for (double bad : {-2.0, 3.0, 1e9}) {
    const Status status = run_status(kEmbedding, {kTable, {"i64[2]", {0, bad}}});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(mentions(status, {"'e'", "aten.embedding.default", "out of range [0, 3)"}));
  }
}

TEST(Guards, AnIndexThatIsComputedIsCheckedToo) {
  const char* graph = R"(graph(%table: f32[3, 2], %ids: i64[2]) {
    %i: i64[2] = aten.mul.Tensor(%ids, 2)
    %e: f32[2, 2] = aten.embedding.default(%table, %i)
    %s: f32[2, 2] = aten.index_select.default(%table, 0, %i)
    return (%e, %s)
  })";
  const auto out = run_text(graph, {kTable, {"i64[2]", {1, 0}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[2, 2]", {5, 6, 1, 2}}));
  EXPECT_TRUE(mentions(run_status(graph, {kTable, {"i64[2]", {1, 2}}}), {"'e'", "index 4"}));
}

TEST(Guards, ASubscriptMayCountFromTheEnd) {
  const char* graph = R"(graph(%table: f32[3, 2], %ids: i64[2]) {
    %e: f32[2, 2] = aten.index.Tensor(%table, [%ids])
    return (%e)
  })";
  const auto out = run_text(graph, {kTable, {"i64[2]", {-1, -3}}});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(matches((*out)[0], {"f32[2, 2]", {5, 6, 1, 2}}));
  EXPECT_TRUE(mentions(run_status(graph, {kTable, {"i64[2]", {-4, 0}}}), {"'e'", "[-3, 3)"}));
}

TEST(Guards, GatherRefusesWhatItDoesNotHave) {
  const char* graph = R"(graph(%t: f32[3, 2], %ids: i64[1, 2]) {
    %i: i64[1, 2] = aten.add.Tensor(%ids, 0)
    %e: f32[1, 2] = aten.gather.default(%t, 0, %ids)
    %f: f32[1, 2] = aten.gather.default(%t, 0, %i)
    return (%e, %f)
  })";
  EXPECT_TRUE(run_text(graph, {kTable, {"i64[1, 2]", {2, 0}}}).ok());
  for (double bad : {-1.0, 3.0, 1e8}) {
    EXPECT_FALSE(run_text(graph, {kTable, {"i64[1, 2]", {0, bad}}}).ok()) << bad;
  }
}

TEST(Guards, ASymbolicTableIsCheckedAtItsSize) {
  const char* graph = R"(graph(%table: f32[s0, 2], %ids: i64[2]) {
    %e: f32[2, 2] = aten.embedding.default(%table, %ids)
    return (%e)
  })";
  EXPECT_TRUE(run_text(graph, {kTable, {"i64[2]", {0, 2}}}).ok());
  EXPECT_TRUE(mentions(run_status(graph, {kTable, {"i64[2]", {0, 3}}}), {"'e'", "[0, 3)"}));
  EXPECT_FALSE(run_text(graph, {{"f32[1, 2]", {1, 2}}, {"i64[2]", {0, 1}}}).ok());
}

TEST(Guards, AConstantIndexIsCheckedWhenCompiled) {
  const Status status = compile_text(R"(graph(%table: f32[3, 2]) {
    %ids = constant i64[2] {0, 3}
    %e: f32[2, 2] = aten.embedding.default(%table, %ids)
    return (%e)
  })")
                            .status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidProgram);
  EXPECT_TRUE(mentions(status, {"'e'", "index 3"}));
}

TEST(Guards, IntegerDivisionByZeroIsAnError) {
  const char* graph = R"(graph(%a: i64[2], %b: i64[2]) {
    %c: i64[2] = aten.floor_divide.default(%a, %b)
    return (%c)
  })";
  EXPECT_TRUE(run_text(graph, {{"i64[2]", {5, 6}}, {"i64[2]", {2, 3}}}).ok());
  EXPECT_TRUE(mentions(run_status(graph, {{"i64[2]", {5, 6}}, {"i64[2]", {2, 0}}}),
                       {"'c'", "division by zero"}));
}

TEST(Guards, AFailedCallLeavesTheExecutableUsable) {
  const auto executable = compile_text(kEmbedding);
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out(1);
  const Tensor table = tensor_of(kTable);
  ASSERT_FALSE(
      (*executable)->run(std::vector<Tensor>{table, tensor_of({"i64[2]", {0, 9}})}, out).ok());
  out.assign(1, Tensor());
  ASSERT_TRUE(
      (*executable)->run(std::vector<Tensor>{table, tensor_of({"i64[2]", {2, 1}})}, out).ok());
  EXPECT_TRUE(matches(out[0], {"f32[2, 2]", {5, 6, 3, 4}}));
}

TEST(Engine, ARangeUpToASizeFollowsTheInput) {
  const char* graph = R"(graph(%x: f32[s0]) {
    %n: sym(s0) = aten.sym_size.int(%x, 0)
    %a: i64[s0] = aten.arange.start_step(0, %n, 1)
    %b: i64[s0] = aten.arange.default(%n)
    return (%a, %b)
  })";
  for (const auto& [spec, values, expected] :
       {std::tuple{"f32[3]", std::vector<double>{5, 5, 5}, std::vector<double>{0, 1, 2}},
        std::tuple{"f32[1]", std::vector<double>{5}, std::vector<double>{0}}}) {
    const auto outputs = run_text(graph, {{spec, values}});
    ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
    EXPECT_EQ(values_of((*outputs)[0]), expected);
    EXPECT_EQ(values_of((*outputs)[1]), expected);
  }
}

}  // namespace
}  // namespace changeaware::ovn
