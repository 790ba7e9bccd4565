// The exact engine's contract, on graphs of a few nodes. Expected numbers are PyTorch's answers.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <thread>

#include "engine/torch/test_support.h"

#if CA_WITH_TORCH

namespace changeaware::torch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class TorchEngine : public WithTorch {};

Tensor floats(Shape shape, const std::vector<float>& values) {
  return Tensor::of(DType::kFloat32, std::move(shape), values);
}
Tensor integers(Shape shape, const std::vector<int64_t>& values) {
  return Tensor::of(DType::kInt64, std::move(shape), values);
}

TEST_F(TorchEngine, SaysItsNameAndVersion) {
  EXPECT_EQ(torch_engine().info().name, "torch");
  EXPECT_EQ(torch_engine().info().version.rfind("2.13.", 0), 0u) << torch_engine().info().version;
}

TEST_F(TorchEngine, IntegersKeepTheir64Bits) {
  const auto out = run_text(R"(graph(%a: i64[2]) {
    %b: i64[2] = aten.mul.Tensor(%a, 2)
    %c: i64[2] = aten.floor_divide.default(%a, 2)
    %d: i64[2] = aten.remainder.Scalar(%a, 3)
    return (%b, %c, %d)
  })",
                            {integers({2}, {(int64_t{1} << 40) + 1, -7})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<int64_t>((*out)[0], DType::kInt64, {2}, {(int64_t{1} << 41) + 2, -14}));
  EXPECT_TRUE(holds<int64_t>((*out)[1], DType::kInt64, {2}, {int64_t{1} << 39, -4}));
  EXPECT_TRUE(holds<int64_t>((*out)[2], DType::kInt64, {2}, {2, 2}));
}

TEST_F(TorchEngine, DeviationsTakeTheirCorrection) {
  const auto out = run_text(R"(graph(%a: f64[4]) {
    %b: f64[] = aten.std.correction(%a, None, correction=0)
    %c: f64[] = aten.std.correction(%a, None)
    return (%b, %c)
  })",
                            {Tensor::of<double>(DType::kFloat64, {4}, {1, 2, 3, 4})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<double>((*out)[0], DType::kFloat64, {}, {std::sqrt(1.25)}));
  EXPECT_TRUE(holds<double>((*out)[1], DType::kFloat64, {}, {std::sqrt(5.0 / 3.0)}));
}

TEST_F(TorchEngine, NanGoesThrough) {
  const auto out = run_text(R"(graph(%a: f32[3]) {
    %b: f32[3] = aten.relu.default(%a)
    %c: f32[] = aten.max.default(%a)
    %d: f32[3] = aten.clamp.default(%a, 0, 1)
    return (%b, %c, %d)
  })",
                            {floats({3}, {-1, kNan, 2})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(std::isnan((*out)[0].data_as<float>()[1]));
  EXPECT_EQ((*out)[0].data_as<float>()[0], 0);
  EXPECT_TRUE(std::isnan(*(*out)[1].data_as<float>()));
  EXPECT_TRUE(std::isnan((*out)[2].data_as<float>()[1]));
}

TEST_F(TorchEngine, ConjugationAndNegationAreMadeRealInOutputs) {
  using C = std::complex<double>;
  const auto out = run_text(R"(graph(%a: c128[2]) {
    %b: c128[2] = aten._conj.default(%a)
    %c: f64[2] = aten.imag.default(%b)
    return (%b, %c)
  })",
                            {Tensor::of<C>(DType::kComplex128, {2}, {C(1, 2), C(3, -4)})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  ASSERT_EQ((*out)[0].dtype(), DType::kComplex128);
  EXPECT_EQ((*out)[0].data_as<C>()[0], C(1, -2));
  EXPECT_EQ((*out)[0].data_as<C>()[1], C(3, 4));
  EXPECT_TRUE(holds<double>((*out)[1], DType::kFloat64, {2}, {-2, 4}));
}

TEST_F(TorchEngine, ListsAndSeveralResultsAreTakenApart) {
  const auto out = run_text(R"(graph(%a: f32[2, 4]) {
    %u: f32[2, 2], %v: f32[2, 2] = aten.split.Tensor(%a, 2, 1)
    %w: f32[4, 2] = aten.cat.default([%v, %u])
    %m: f32[2], %i: i64[2] = aten.max.dim(%a, 1)
    return (%w, %i)
  })",
                            {floats({2, 4}, {1, 2, 3, 4, 8, 7, 6, 5})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<float>((*out)[0], DType::kFloat32, {4, 2}, {3, 4, 6, 5, 1, 2, 8, 7}));
  EXPECT_TRUE(holds<int64_t>((*out)[1], DType::kInt64, {2}, {3, 0}));
}

TEST_F(TorchEngine, TensorsMayBeAbsent) {
  const auto out = run_text(R"(graph(%a: f32[1, 2], %i: i64[2]) {
    %w = constant f32[2, 2] {1, 2, 3, 4}
    %b: f32[1, 2] = aten.linear.default(%a, %w)
    %c: f32[1, 2] = aten.index.Tensor(%a, [None, %i])
    %d: f32[1, 2] = aten.layer_norm.default(%a, [2], None, None, 0.0)
    return (%b, %c, %d)
  })",
                            {floats({1, 2}, {1, 3}), integers({2}, {1, 0})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<float>((*out)[0], DType::kFloat32, {1, 2}, {7, 15}));
  EXPECT_TRUE(holds<float>((*out)[1], DType::kFloat32, {1, 2}, {3, 1}));
  EXPECT_TRUE(holds<float>((*out)[2], DType::kFloat32, {1, 2}, {-1, 1}));
}

TEST_F(TorchEngine, EveryKindOfArgumentArrives) {
  const auto out = run_text(R"(graph(%a: f32[1, 1, 2, 2]) {
    %b: f64[2] = aten.full.default([2], 2.5, dtype=f64, layout=strided, device=device("cpu"), pin_memory=False)
    %c: i64[3] = aten.arange.start_step(1, 7, 2)
    %d: f32[1, 1, 2, 2] = aten.gelu.default(%a, approximate="tanh")
    %e: f32[1, 1, 4, 4] = aten.upsample_nearest2d.vec(%a, None, [2.0, 2.0])
    %f: f32[1, 1, 2, 2] = aten.clone.default(%a, memory_format=channels_last)
    %g: f32[1, 1, 1, 1] = aten.avg_pool2d.default(%a, [2, 2], [2, 2], [0, 0], False, True, None)
    %h: f32[1, 1, 2, 2] = aten.add.Tensor(%a, 2.5)
    %i: f64[1, 1, 2, 2] = aten._to_copy.default(%a, dtype=f64)
    return (%b, %c, %d, %e, %f, %g, %h, %i)
  })",
                            {floats({1, 1, 2, 2}, {0, 1, 2, 3})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<double>((*out)[0], DType::kFloat64, {2}, {2.5, 2.5}));
  EXPECT_TRUE(holds<int64_t>((*out)[1], DType::kInt64, {3}, {1, 3, 5}));
  EXPECT_EQ((*out)[2].data_as<float>()[0], 0);
  EXPECT_EQ((*out)[3].contiguous().data_as<float>()[15], 3);
  EXPECT_TRUE(holds<float>((*out)[4], DType::kFloat32, {1, 1, 2, 2}, {0, 1, 2, 3}));
  EXPECT_TRUE(holds<float>((*out)[5], DType::kFloat32, {1, 1, 1, 1}, {1.5}));
  EXPECT_TRUE(holds<float>((*out)[6], DType::kFloat32, {1, 1, 2, 2}, {2.5, 3.5, 4.5, 5.5}));
  EXPECT_TRUE(holds<double>((*out)[7], DType::kFloat64, {1, 1, 2, 2}, {0, 1, 2, 3}));
}

TEST_F(TorchEngine, SizesAreComputedAndUsed) {
  const std::string graph = R"(graph(%a: f32[s0, 3], %k: sym) {
    %n: sym = aten.sym_size.int(%a, 0)
    %m: sym = _operator.mul(%n, 3)
    %q: sym = _operator.floordiv(%m, %k)
    %r: symfloat = _operator.truediv(%m, 2)
    %b: f32[s1] = aten.reshape.default(%a, [%m])
    %c: f32[s1] = aten.mul.Tensor(%b, %k)
    %z: f32[s2, 2] = aten.zeros.default([%q, 2], dtype=f32)
    %t: symbool = _operator.gt(%n, 1)
    return (%c, %z, %q, %r, %t)
  })";
  const auto out = run_text(graph, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), integers({}, {4})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<float>((*out)[0], DType::kFloat32, {6}, {4, 8, 12, 16, 20, 24}));
  EXPECT_TRUE(holds<float>((*out)[1], DType::kFloat32, {1, 2}, {0, 0}));
  EXPECT_TRUE(holds<int64_t>((*out)[2], DType::kInt64, {}, {1}));
  EXPECT_TRUE(holds<double>((*out)[3], DType::kFloat64, {}, {3.0}));
  EXPECT_TRUE(holds<uint8_t>((*out)[4], DType::kBool, {}, {1}));
  const auto failed = run_text(graph, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), integers({}, {0})});
  EXPECT_EQ(failed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(mentions(failed.status(), {"node 'q'", "_operator.floordiv", "division by zero"}));
}

TEST_F(TorchEngine, AnOutputKeepsItsStrides) {
  const auto out = run_text(R"(graph(%a: f32[2, 3]) {
    %b: f32[2, 3] = aten.relu.default(%a)
    %c: f32[3, 2] = aten.t.default(%b)
    return (%c)
  })",
                            {floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_EQ((*out)[0].strides(), (std::vector<int64_t>{1, 3}));
  EXPECT_TRUE(holds<float>((*out)[0], DType::kFloat32, {3, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST_F(TorchEngine, OutputsShareNoMemory) {
  const Tensor a = floats({2, 2}, {1, 2, 3, 4});
  const auto out = run_text(R"(graph(%a: f32[2, 2]) {
    %w = constant f32[2] {5, 6}
    %b: f32[2, 2] = aten.t.default(%a)
    %v: f32[1, 2] = aten.unsqueeze.default(%w, 0)
    %r: f32[2, 2] = aten.relu.default(%a)
    %s: f32[2] = aten.select.int(%r, 0, 1)
    %e: f32[3, 2] = aten.expand.default(%s, [3, 2])
    return (%a, %b, %v, %r, %s, %e, %r)
  })",
                            {a});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  for (size_t i = 0; i < out->size(); ++i) {
    const Tensor& t = (*out)[i];
    EXPECT_NE(t.data(), a.data()) << i;
    EXPECT_EQ(t.storage()->bytes(), t.size_bytes()) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_NE(t.data(), (*out)[j].data()) << i << " " << j;
  }
  EXPECT_TRUE(holds<float>((*out)[1], DType::kFloat32, {2, 2}, {1, 3, 2, 4}));
  EXPECT_TRUE(holds<float>((*out)[2], DType::kFloat32, {1, 2}, {5, 6}));
  EXPECT_TRUE(holds<float>((*out)[5], DType::kFloat32, {3, 2}, {3, 4, 3, 4, 3, 4}));
}

TEST_F(TorchEngine, InputsAreReadInTheirStridesAndNotWritten) {
  const Tensor base = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto view = Tensor::view(DType::kFloat32, {3, 2}, {1, 3}, 0, base.storage());
  ASSERT_TRUE(view.ok());
  const auto out = run_text(R"(graph(%a: f32[3, 2]) {
    %b: f32[3, 2] = aten.mul.Tensor(%a, 2)
    return (%b)
  })",
                            {*view});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_TRUE(holds<float>((*out)[0], DType::kFloat32, {3, 2}, {2, 8, 4, 10, 6, 12}));
  EXPECT_TRUE(holds<float>(base, DType::kFloat32, {2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST_F(TorchEngine, EmptyTensorsGoInAndOut) {
  const auto out = run_text(R"(graph(%a: f32[0, 2]) {
    %b: f32[0, 2] = aten.relu.default(%a)
    %c: f32[] = aten.sum.default(%a)
    return (%b, %c)
  })",
                            {Tensor::empty(DType::kFloat32, {0, 2})});
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_EQ((*out)[0].shape(), (Shape{0, 2}));
  EXPECT_TRUE(holds<float>((*out)[1], DType::kFloat32, {}, {0}));
}

TEST_F(TorchEngine, ADefinedOutputIsWrittenInPlace) {
  const auto executable = compile_text(R"(graph(%a: f32[2, 2]) {
    %b: f32[2, 2] = aten.t.default(%a)
    return (%b)
  })");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Tensor> in{floats({2, 2}, {1, 2, 3, 4})};
  std::vector<Tensor> out{Tensor::empty(DType::kFloat32, {2, 2})};
  const std::byte* memory = out[0].data();
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_EQ(out[0].data(), memory);
  EXPECT_TRUE(holds<float>(out[0], DType::kFloat32, {2, 2}, {1, 3, 2, 4}));
  out = {Tensor::empty(DType::kFloat32, {4})};
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"output 'b'", "[2, 2]", "[4]"}));
}

TEST_F(TorchEngine, WrongInputsAreRefusedByName) {
  const auto executable = compile_text(R"(graph(%a: f32[s0], %b: f32[s0]) {
    %c: f32[s0] = aten.add.Tensor(%a, %b)
    return (%c)
  })");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<Tensor> out(1);
  const auto run = [&](const std::vector<Tensor>& in) { return (*executable)->run(in, out); };
  const Tensor two = floats({2}, {1, 2});
  EXPECT_TRUE(mentions(run({two, Tensor()}), {"input 'b' has no value"}));
  EXPECT_TRUE(mentions(run({two, integers({2}, {1, 2})}), {"input 'b'", "float32", "int64"}));
  EXPECT_TRUE(mentions(run({two, floats({1}, {1})}), {"input 'b'", "s0 is 2 in input 'a'"}));
  EXPECT_TRUE(mentions(run({two}), {"1 inputs given, 2 expected"}));
  EXPECT_TRUE(run({two, two}).ok());
}

TEST_F(TorchEngine, ErrorsNameTheNode) {
  const auto bounds = run_text(R"(graph(%i: i64[1]) {
    %w = constant f32[3, 2] {1, 2, 3, 4, 5, 6}
    %rows: f32[1, 2] = aten.embedding.default(%w, %i)
    return (%rows)
  })",
                               {integers({1}, {3})});
  EXPECT_EQ(bounds.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(mentions(bounds.status(), {"node 'rows' (aten.embedding.default)", "out of range"}));
  EXPECT_EQ(bounds.status().message().find('\n'), std::string::npos);
  const auto shapes = run_text(R"(graph(%a: f32[2, 3]) {
    %p: f32[2, 3] = aten.mm.default(%a, %a)
    return (%p)
  })",
                               {floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_TRUE(mentions(shapes.status(), {"node 'p' (aten.mm.default)"}));
  const auto absent = compile_text(R"(graph(%a: f32[2]) {
    %p: f32[2] = prims.cbrt.default(%a)
    return (%p)
  })");
  EXPECT_EQ(absent.status().code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(absent.status(), {"node 'p' (prims.cbrt.default)", "does not have"}));
}

TEST_F(TorchEngine, AResultThatContradictsTheProgramIsAnError) {
  const auto out = run_text(R"(graph(%a: f32[2]) {
    %b: f64[2] = aten.relu.default(%a)
    return (%b)
  })",
                            {floats({2}, {1, 2})});
  EXPECT_TRUE(mentions(out.status(), {"output 'b'", "float32[2]", "float64[2]"}));
}

TEST_F(TorchEngine, ThreadsShareAnExecutable) {
  const auto executable = compile_text(R"(graph(%a: f32[64, 64]) {
    %b: f32[64, 64] = aten.mm.default(%a, %a)
    %c: f32[64, 64] = aten.softmax.int(%b, -1)
    %d: f32[64, 64] = aten.sub.Tensor(%c, %a)
    return (%d)
  })");
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const auto input = [](int seed) {
    std::vector<float> numbers(64 * 64);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::sin(static_cast<float>(static_cast<int>(i) * (seed + 1)));
    }
    return std::vector<Tensor>{floats({64, 64}, numbers)};
  };
  std::vector<Tensor> wanted;
  for (int t = 0; t < 2; ++t) {
    std::vector<Tensor> out(1);
    ASSERT_TRUE((*executable)->run(input(t), out).ok());
    wanted.push_back(out[0]);
  }
  std::vector<int> right(2, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        std::vector<Tensor> out(1);
        const bool ran = (*executable)->run(input(t), out).ok();
        right[static_cast<size_t>(t)] += ran && bit_identical(out[0], wanted[t]) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{50, 50}));
}

TEST_F(TorchEngine, AnExecutableNeedsOnlyTheConstantsOfItsGraph) {
  auto executable = compile_text(R"(graph(%a: f32[2]) {
    %w = constant f32[2] {10, 20}
    %b: f32[2] = aten.add.Tensor(%a, %w)
    return (%b)
  })");
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out(1);
  ASSERT_TRUE((*executable)->run(std::vector<Tensor>{floats({2}, {1, 2})}, out).ok());
  *executable = nullptr;  // its results outlive it
  EXPECT_TRUE(holds<float>(out[0], DType::kFloat32, {2}, {11, 22}));
}

TEST_F(TorchEngine, KnowsTheSchemasOfOperators) {
  const auto schema = torch_op_schema("aten.relu.default", {});
  ASSERT_TRUE(schema.ok()) << schema.status().to_string();
  EXPECT_EQ(*schema, "(Tensor self) -> Tensor");
  EXPECT_EQ(*torch_op_schema("mine.none.default", {}), "");
}

TEST_F(TorchEngine, AnOperatorLibraryThatCannotBeLoadedIsNamed) {
  const auto engine = make_torch_engine(1, {.op_libraries = {"/nowhere/libops.so"}});
  EXPECT_EQ(engine.status().code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(engine.status(), {"/nowhere/libops.so"}));
}

TEST_F(TorchEngine, AnotherPyTorchNeedsAnotherProcess) {
  EXPECT_EQ(torch_engine().info().name, "torch");
  const auto other = make_torch_engine(1, {.torch_folder = "/another/torch"});
  EXPECT_EQ(other.status().code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(other.status(), {"/another/torch", "process of its own"}));
}

}  // namespace
}  // namespace changeaware::torch

#endif
