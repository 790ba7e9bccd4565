#include "normalise/test_util.h"

namespace changeaware {
namespace {

constexpr const char* kNoGrad = "higher_order.wrap_with_set_grad_enabled";
constexpr const char* kAutocast = "higher_order.wrap_with_autocast";

TensorSpec vector_spec() {
  TensorSpec spec;
  spec.dims = {Dim{4, ""}};
  return spec;
}

// Adds a node of `op` around `body`, applied to `operand`.
ValueId wrap(Graph& graph, const char* op, Graph body, ValueId operand, const std::string& name) {
  Node node{find_op(op), {}, {}, name};
  const auto shared = std::make_shared<const Graph>(std::move(body));
  if (std::string(op) == kAutocast) {
    node.args = {std::string("cpu"), DType::kBFloat16, true, None{}, shared, TensorList{{operand}}};
  } else {
    node.args = {false, shared, TensorList{{operand}}};
  }
  Value value;
  value.name = name;
  value.spec = vector_spec();
  const ValueId id = graph.add_value(std::move(value));
  node.outputs = {id};
  graph.add_node(std::move(node));
  return id;
}

Graph outer(const char* op, Graph body) {
  Graph graph = parse_or_die("graph(%x: f32[4]) { %a: f32[4] = aten.relu.default(%x) return () }");
  const ValueId id = wrap(graph, op, std::move(body), graph.find_value("a"), "region");
  graph.add_output(ValueRef{id});
  return graph;
}

TEST(Inline, ANoGradBodyIsPartOfTheGraph) {
  const std::string text =
      run_pass(inline_bodies, outer(kNoGrad, parse_or_die(R"(graph(%y: f32[4]) {
    %w = constant f32[4] {1, 2, 3, 4}
    %a: f32[4] = aten.mul.Tensor(%y, %w)
    %b: f32[4] = aten.sin.default(%a)
    return (%b)
  })")));
  EXPECT_EQ(text, R"(graph(%x: f32[4]) {
  %w = constant f32[4] {1, 2, 3, 4}
  %a: f32[4] = aten.relu.default(%x)
  %a_1: f32[4] = aten.mul.Tensor(%a, %w)
  %region: f32[4] = aten.sin.default(%a_1)
  return (%region)
}
)");
}

TEST(Inline, NestedBodiesAreInlinedToo) {
  Graph middle = parse_or_die("graph(%y: f32[4]) { %m: f32[4] = aten.cos.default(%y) return () }");
  const ValueId inner =
      wrap(middle, kNoGrad,
           parse_or_die("graph(%z: f32[4]) { %s: f32[4] = aten.sin.default(%z) return (%s) }"),
           middle.find_value("m"), "inner");
  middle.add_output(ValueRef{inner});
  EXPECT_EQ(run_pass(inline_bodies, outer(kNoGrad, std::move(middle))), R"(graph(%x: f32[4]) {
  %a: f32[4] = aten.relu.default(%x)
  %m: f32[4] = aten.cos.default(%a)
  %region: f32[4] = aten.sin.default(%m)
  return (%region)
}
)");
}

TEST(Inline, ABodyThatReturnsItsOperandIsTheOperand) {
  const std::string text =
      run_pass(inline_bodies, outer(kNoGrad, parse_or_die("graph(%y: f32[4]) { return (%y) }")));
  EXPECT_NE(text.find("return (%a)"), std::string::npos) << text;
}

TEST(Inline, AnAssertionInABodyIsKept) {
  const std::string text =
      run_pass(inline_bodies, outer(kNoGrad, parse_or_die(R"(graph(%y: f32[4]) {
    %ok: bool[] = aten.all.default(%y)
    assert %ok "all of y"
    return (%y)
  })")));
  EXPECT_NE(text.find("assert %ok \"all of y\""), std::string::npos) << text;
}

TEST(Inline, ADisabledAutocastRegionIsInlined) {
  Graph graph = outer(kAutocast, parse_or_die("graph(%y: f32[4]) { return (%y) }"));
  graph.mutable_node(1).args[2] = false;
  EXPECT_NE(run_pass(inline_bodies, graph).find("return (%a)"), std::string::npos);
}

TEST(Inline, ABodyWithOtherOperandsIsInvalid) {
  const std::string text = run_pass(
      inline_bodies, outer(kNoGrad, parse_or_die("graph(%y: f32[4], %z: f32[4]) { return (%y) }")));
  EXPECT_EQ(text, "InvalidProgram: node 'region': its sub-graph does not fit its operands");
}

}  // namespace
}  // namespace changeaware
