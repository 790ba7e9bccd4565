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

}  // namespace
}  // namespace changeaware
