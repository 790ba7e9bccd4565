#include "normalise/normalise.h"

#include "normalise/test_util.h"

namespace changeaware {
namespace {

Signature signature_of(const Graph& graph, const std::vector<std::string>& names) {
  Signature signature;
  for (size_t i = 0; i < names.size(); ++i) {
    signature.inputs.push_back({names[i], ValueRef{graph.inputs()[i]}});
  }
  return signature;
}

TEST(Normalise, RunsEveryPass) {
  const Graph graph = parse_or_die(R"(graph(%x: f32[4, 6], %y: f32[6]) {
    %c: f32[4, 6] = aten.clone.default(%x)
    %s: f32[6] = aten.select.int(%c, 0, 1)
    %w: f32[6] = aten.copy_.default(%s, %y)
    aten._assert_tensor_metadata.default(%c, dtype=f32)
    %d: f32[4, 6] = aten.dropout.default(%c, 0.5, False)
    %z: f32[4, 6] = aten.zeros_like.default(%d)
    %n: sym(6) = aten.sym_size.int(%d, 1)
    %v: f32[4, 6] = aten.view.default(%z, [4, %n])
    return (%d, %v)
  })");
  const Result<Graph> done = normalise(graph, signature_of(graph, {"image", "row"}));
  ASSERT_TRUE(done.ok()) << done.status().to_string();
  EXPECT_EQ(print_graph(*done), R"(graph(%x: f32[4, 6], %y: f32[6]) {
  %select_scatter: f32[4, 6] = aten.select_scatter.default(%x, %y, 0, 1)
  %z: f32[4, 6] = aten.full.default([4, 6], 0, dtype=f32)
  return (%select_scatter, %z)
}
)");
}

TEST(Normalise, InputsKeepTheirOrderWhenNothingReadsThem) {
  const Graph graph = parse_or_die("graph(%a: f32[1], %b: f32[1], %c: f32[1]) { return (%b, %b) }");
  const Result<Graph> done = normalise(graph, {});
  ASSERT_TRUE(done.ok()) << done.status().to_string();
  EXPECT_EQ(print_graph(*done),
            "graph(%a: f32[1], %b: f32[1], %c: f32[1]) {\n  return (%b, %b)\n}\n");
}

TEST(Normalise, MessagesNameInputsAsTheCallerDoes) {
  const Graph graph = parse_or_die(R"(graph(%arg0_1: f32[4]) {
    %w: f32[4] = aten.add_.Tensor(%arg0_1, 1)
    return (%w)
  })");
  const Result<Graph> done = normalise(graph, signature_of(graph, {"image"}));
  EXPECT_EQ(done.status().to_string(),
            "Unsupported: node 'w': aten.add_.Tensor changes the input 'image' in place");
}

TEST(Normalise, WithoutDecompositionOperatorsAndLayoutsStay) {
  Graph graph = parse_or_die(R"(graph(%x: f32[4, 6], %y: f32[4, 6]) {
    %t: f32[6, 4] = aten.t.default(%x)
    %c: f32[6, 4] = aten.contiguous.default(%t)
    %d: f32[4, 6] = aten.contiguous.default(%y)
    %s: f32[6, 4] = aten.softmax.int(%c, 1)
    %z: f32[4, 6] = aten.ones_like.default(%d)
    return (%s, %z)
  })");
  set_strides(graph, "t", {1, 6});
  const auto done = normalise(graph, signature_of(graph, {"x", "y"}), {.decompose = false});
  ASSERT_TRUE(done.ok()) << done.status().to_string();
  EXPECT_EQ(print_graph(*done), R"(graph(%x: f32[4, 6], %y: f32[4, 6]) {
  %t: f32[6, 4] = aten.t.default(%x)
  %c: f32[6, 4] = aten.contiguous.default(%t)
  %s: f32[6, 4] = aten.softmax.int(%c, 1)
  %z: f32[4, 6] = aten.ones_like.default(%y)
  return (%s, %z)
}
)");
}

TEST(Normalise, BodiesOfControlFlowAreNormalisedToo) {
  const char* text = R"(graph(%p: bool[], %x: f32[4]) {
    %c: f32[4] = higher_order.cond(%p,
      {graph(%a: f32[4]) {
        %k: f32[4] = aten.clone.default(%a)
        %w: f32[4] = aten.add_.Tensor(%k, 1)
        return (%w)
      }},
      {graph(%a: f32[4]) { %w: f32[4] = aten.VERB.default(%a) return (%w) }}, [%x])
    return (%c)
  })";
  const auto run = [&](const std::string& verb) {
    std::string program = text;
    program.replace(program.find("VERB"), 4, verb);
    const Graph graph = parse_or_die(program);
    const auto done = normalise(graph, signature_of(graph, {"p", "x"}));
    return done.ok() ? print_graph(*done) : done.status().to_string();
  };
  EXPECT_NE(run("neg").find("%w: f32[4] = aten.add.Tensor(%a, 1)"), std::string::npos)
      << run("neg");
  const std::string refused = run("relu_");
  EXPECT_NE(refused.find("node 'c': false_graph"), std::string::npos) << refused;
  EXPECT_NE(refused.find("changes the input 'a' in place"), std::string::npos) << refused;
}

TEST(Normalise, OperatorsDefinedInPythonAreDefinedInBothForms) {
  const Graph graph = parse_or_die(R"(graph(%x: f32[4]) {
    %q: i8[4] = quantized_decomposed.quantize_per_tensor.default(%x, 0.5, 3, -128, 127, i8)
    %d: f32[4] = quantized_decomposed.dequantize_per_tensor.default(%q, 0.5, 3, -128, 127, i8)
    return (%d)
  })");
  for (const bool decompose : {true, false}) {
    const auto done = normalise(graph, signature_of(graph, {"x"}), {.decompose = decompose});
    ASSERT_TRUE(done.ok()) << done.status().to_string();
    EXPECT_EQ(print_graph(*done), R"(graph(%x: f32[4]) {
  %q_mul: f32[4] = aten.mul.Tensor(%x, 2.0)
  %q_round: f32[4] = aten.round.default(%q_mul)
  %q_add: f32[4] = aten.add.Tensor(%q_round, 3)
  %q_clamp: f32[4] = aten.clamp.default(%q_add, -128, 127)
  %q: i8[4] = aten.to.dtype(%q_clamp, i8)
  %d_to: f32[4] = aten.to.dtype(%q, f32)
  %d_sub: f32[4] = aten.sub.Tensor(%d_to, 3)
  %d: f32[4] = aten.mul.Tensor(%d_sub, 0.5)
  return (%d)
}
)");
  }
  const Graph unknown = parse_or_die(R"(graph(%x: f32[4]) {
    %s: f32[1], %z: f32[1] = quantized_decomposed.choose_qparams_per_token.default(%x, i8)
    return (%s)
  })");
  const auto done = normalise(unknown, signature_of(unknown, {"x"}));
  EXPECT_NE(done.status().message().find("choose_qparams_per_token"), std::string::npos);
}

}  // namespace
}  // namespace changeaware
