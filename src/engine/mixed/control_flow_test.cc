// torch.cond, while_loop, scan and map over compiled bodies.
#include "engine/mixed/control_flow.h"

#include <gmock/gmock.h>

#include "engine/mixed/test_support.h"

namespace changeaware::mixed {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<std::unique_ptr<Executable>> compile(const Graph& graph) {
  static const TestEngine test = make_test_engine();
  return test.engine->compile(graph);
}

// %c, %d = cond(%p, (x + 1, x * 2), (x - 1, x * 3), [%x])
Graph cond_graph() {
  Graph graph = graph_of("graph(%p: bool[], %x: f32[2]) { return () }");
  add_control_flow(
      graph, cond_schema(),
      {ValueRef{graph.find_value("p")}, nested(R"(graph(%x: f32[2]) {
                     %a: f32[2] = aten.add.Tensor(%x, 1)
                     %b: f32[2] = aten.mul.Tensor(%x, 2)
                     return (%a, %b)
                   })"),
       nested(R"(graph(%x: f32[2]) {
                     %a: f32[2] = aten.sub.Tensor(%x, 1)
                     %b: f32[2] = aten.mul.Tensor(%x, 3)
                     return (%a, %b)
                   })",
              {"b"}),
       values(graph, {"x"})},
      {tensor_value("c", DType::kFloat32, {2}), tensor_value("d", DType::kFloat32, {2})});
  return graph;
}

TEST(Cond, TakesTheBranchThatThePredicateSays) {
  const auto executable = compile(cond_graph());
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Tensor x = floats({2}, {10, 20});
  const auto yes = run(**executable, {boolean(true), x}, 2);
  ASSERT_TRUE(yes.ok()) << yes.status().to_string();
  EXPECT_THAT(floats_of((*yes)[0]), ElementsAre(11, 21));
  EXPECT_THAT(floats_of((*yes)[1]), ElementsAre(20, 40));
  const auto no = run(**executable, {boolean(false), x}, 2);
  ASSERT_TRUE(no.ok()) << no.status().to_string();
  EXPECT_THAT(floats_of((*no)[0]), ElementsAre(9, 19));
  EXPECT_THAT(floats_of((*no)[1]), ElementsAre(30, 60));
}

TEST(Cond, ADefinedOutputIsWrittenInPlace) {
  const auto executable = compile(cond_graph());
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out{floats({2}, {0, 0}), Tensor()};
  const std::byte* memory = out[0].data();
  ASSERT_TRUE(
      (*executable)->run(std::vector<Tensor>{boolean(true), floats({2}, {1, 2})}, out).ok());
  EXPECT_EQ(out[0].data(), memory);
  EXPECT_THAT(floats_of(out[0]), ElementsAre(2, 3));
}

TEST(Cond, APredicateOfSizesIsAsGood) {
  Graph graph = graph_of(R"(graph(%x: f32[s0]) {
    %n: sym = aten.sym_size.int(%x, 0)
    return ()
  })");
  Value more;
  more.name = "more";
  more.kind = ValueKind::kSymBool;
  more.symbol.expression = "s0 > 2";
  const ValueId predicate = graph.add_value(more);
  graph.add_node(
      {find_op("_operator.gt"), {ValueRef{graph.find_value("n")}, int64_t{2}}, {predicate}, "gt"});
  Value result = tensor_value("c", DType::kFloat32, {3});
  result.spec.dims[0].expression = "s0";
  add_control_flow(graph, cond_schema(),
                   {ValueRef{predicate}, nested(R"(graph(%x: f32[s0]) {
                     %a: f32[s0] = aten.add.Tensor(%x, 1)
                     return (%a)
                   })"),
                    nested("graph(%x: f32[s0]) { return (%x) }"), values(graph, {"x"})},
                   {result});
  const auto executable = compile(graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const auto large = run(**executable, {floats({3}, {1, 2, 3})}, 1);
  ASSERT_TRUE(large.ok()) << large.status().to_string();
  EXPECT_THAT(floats_of((*large)[0]), ElementsAre(2, 3, 4));
  const std::vector<Tensor> two{floats({2}, {1, 2})};
  const auto small = run(**executable, two, 1);
  ASSERT_TRUE(small.ok()) << small.status().to_string();
  EXPECT_THAT(floats_of((*small)[0]), ElementsAre(1, 2));
  EXPECT_NE((*small)[0].data(), two[0].data());
}

TEST(Cond, APredicateThatIsNotOneBoolIsRefused) {
  Graph graph = graph_of("graph(%p: f32[1], %x: f32[2]) { return () }");
  const char* body = "graph(%x: f32[2]) { return (%x) }";
  add_control_flow(
      graph, cond_schema(),
      {ValueRef{graph.find_value("p")}, nested(body), nested(body), values(graph, {"x"})},
      {tensor_value("c", DType::kFloat32, {2})});
  const auto executable = compile(graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Status status = run(**executable, {floats({1}, {1}), floats({2}, {1, 2})}, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(mentions(status, {"predicate", "float32[1]"}));
}

TEST(Cond, AnAssertionInABranchHoldsOnlyWhereItRuns) {
  Graph graph = graph_of("graph(%p: bool[], %x: f32[2]) { return () }");
  add_control_flow(graph, cond_schema(),
                   {ValueRef{graph.find_value("p")}, nested(R"(graph(%x: f32[2]) {
                     %a: f32[2] = aten.add.Tensor(%x, 1)
                     %m: f32[] = aten.sum.default(%x)
                     %ok: bool[] = aten.gt.Scalar(%m, 0)
                     assert %ok "the sum must be positive"
                     return (%a)
                   })"),
                    nested("graph(%x: f32[2]) { return (%x) }"), values(graph, {"x"})},
                   {tensor_value("c", DType::kFloat32, {2})});
  const auto executable = compile(graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Tensor negative = floats({2}, {-5, 1});
  const Status failed = run(**executable, {boolean(true), negative}, 1).status();
  EXPECT_EQ(failed.code(), StatusCode::kFailedAssertion);
  EXPECT_TRUE(mentions(failed, {"the sum must be positive"}));
  EXPECT_TRUE(run(**executable, {boolean(true), floats({2}, {5, 1})}, 1).ok());
  EXPECT_TRUE(run(**executable, {boolean(false), negative}, 1).ok());
}

// %j, %y = while_loop(i < 5, (i + 1, a * w), [%i, %x], [%k])
Graph while_graph(const std::vector<std::string>& exact = {}) {
  Graph graph = graph_of(R"(graph(%i: i64[], %x: f32[2]) {
    %k = constant f32[2] {2, 3}
    return ()
  })");
  add_control_flow(graph, while_schema(),
                   {nested(R"(graph(%i: i64[], %a: f32[2], %w: f32[2]) {
                     %lt: bool[] = aten.lt.Scalar(%i, 5)
                     return (%lt)
                   })"),
                    nested(R"(graph(%i: i64[], %a: f32[2], %w: f32[2]) {
                     %j: i64[] = aten.add.Tensor(%i, 1)
                     %b: f32[2] = aten.mul.Tensor(%a, %w)
                     return (%j, %b)
                   })",
                           exact),
                    values(graph, {"i", "x"}), values(graph, {"k"})},
                   {tensor_value("j", DType::kInt64, {}), tensor_value("y", DType::kFloat32, {2})});
  return graph;
}

TEST(WhileLoop, RunsUntilTheConditionIsFalse) {
  for (const std::vector<std::string>& exact : {std::vector<std::string>{}, {"b"}}) {
    const auto executable = compile(while_graph(exact));
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const auto out = run(**executable, {integers({}, {2}), floats({2}, {1, 1})}, 2);
    ASSERT_TRUE(out.ok()) << out.status().to_string();
    EXPECT_EQ(*(*out)[0].data_as<int64_t>(), 5);
    EXPECT_THAT(floats_of((*out)[1]), ElementsAre(8, 27));
  }
}

TEST(WhileLoop, WithoutATurnTheStateIsCopied) {
  const auto executable = compile(while_graph());
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{integers({}, {5}), floats({2}, {7, 8})};
  const auto out = run(**executable, in, 2);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(7, 8));
  EXPECT_NE((*out)[1].data(), in[1].data());
}

TEST(WhileLoop, ADefinedOutputIsWrittenInPlace) {
  const auto executable = compile(while_graph());
  ASSERT_TRUE(executable.ok());
  std::vector<Tensor> out{Tensor(), floats({2}, {0, 0})};
  const std::byte* memory = out[1].data();
  const std::vector<Tensor> in{integers({}, {4}), floats({2}, {1, 1})};
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_EQ(out[1].data(), memory);
  EXPECT_THAT(floats_of(out[1]), ElementsAre(2, 3));
}

// %h1, %ys = scan((c + y * w, c * y), [%h], [%x], [%w])
Graph scan_graph(const std::string& rows) {
  Graph graph = graph_of("graph(%h: f32[2], %x: f32[" + rows + ", 2], %w: f32[2]) { return () }");
  Value stacked = tensor_value("ys", DType::kFloat32, {3, 2});
  if (rows != "3") stacked.spec.dims[0].expression = rows;
  add_control_flow(graph, scan_schema(),
                   {nested(R"(graph(%c: f32[2], %y: f32[2], %w: f32[2]) {
                     %s: f32[2] = aten.mul.Tensor(%y, %w)
                     %d: f32[2] = aten.add.Tensor(%c, %s)
                     %e: f32[2] = aten.mul.Tensor(%c, %y)
                     return (%d, %e)
                   })",
                           {"s"}),
                    values(graph, {"h"}), values(graph, {"x"}), values(graph, {"w"})},
                   {tensor_value("h1", DType::kFloat32, {2}), stacked});
  return graph;
}

TEST(Scan, CarriesAndStacks) {
  const auto executable = compile(scan_graph("3"));
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Tensor> in{floats({2}, {1, 0}), floats({3, 2}, {1, 2, 3, 4, 5, 6}),
                               floats({2}, {1, 10})};
  const auto out = run(**executable, in, 2);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[0]), ElementsAre(10, 120));
  EXPECT_EQ((*out)[1].shape(), (Shape{3, 2}));
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(1, 0, 6, 80, 25, 360));
}

TEST(Scan, ADefinedStackIsWrittenInPlace) {
  const auto executable = compile(scan_graph("3"));
  ASSERT_TRUE(executable.ok());
  const std::vector<Tensor> in{floats({2}, {1, 0}), floats({3, 2}, {1, 2, 3, 4, 5, 6}),
                               floats({2}, {1, 10})};
  std::vector<Tensor> out{floats({2}, {0, 0}), Tensor::empty(DType::kFloat32, {3, 2})};
  const std::vector<const std::byte*> memory{out[0].data(), out[1].data()};
  ASSERT_TRUE((*executable)->run(in, out).ok());
  EXPECT_EQ(out[0].data(), memory[0]);
  EXPECT_EQ(out[1].data(), memory[1]);
  EXPECT_THAT(floats_of(out[1]), ElementsAre(1, 0, 6, 80, 25, 360));
  out[1] = Tensor::empty(DType::kFloat32, {4, 2});
  EXPECT_TRUE(mentions((*executable)->run(in, out), {"output 'ys'", "[4, 2]", "3 rows"}));
}

TEST(Scan, TheNumberOfRowsMayBeSymbolicAndNone) {
  const auto executable = compile(scan_graph("s0"));
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Tensor h = floats({2}, {1, 0}), w = floats({2}, {1, 10});
  const auto one = run(**executable, {h, floats({1, 2}, {1, 2}), w}, 2);
  ASSERT_TRUE(one.ok()) << one.status().to_string();
  EXPECT_THAT(floats_of((*one)[1]), ElementsAre(1, 0));
  const auto none = run(**executable, {h, Tensor::empty(DType::kFloat32, {0, 2}), w}, 2);
  ASSERT_TRUE(none.ok()) << none.status().to_string();
  EXPECT_THAT(floats_of((*none)[0]), ElementsAre(1, 0));
  EXPECT_NE((*none)[0].data(), h.data());
  EXPECT_EQ((*none)[1].shape(), (Shape{0, 2}));
}

TEST(Scan, StridedRowsAreReadAsTheyAre) {
  const auto executable = compile(scan_graph("3"));
  ASSERT_TRUE(executable.ok());
  const Tensor across = floats({2, 3}, {1, 3, 5, 2, 4, 6});
  const auto view = Tensor::view(DType::kFloat32, {3, 2}, {1, 3}, 0, across.storage());
  ASSERT_TRUE(view.ok());
  const auto out = run(**executable, {floats({2}, {1, 0}), *view, floats({2}, {1, 10})}, 2);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(1, 0, 6, 80, 25, 360));
}

TEST(Map, StacksWhatTheBodyGivesForEachRow) {
  Graph graph = graph_of("graph(%x: f32[2, 3], %y: f32[3]) { return () }");
  add_control_flow(
      graph, map_schema(),
      {nested(R"(graph(%x: f32[3], %y: f32[3]) {
                     %a: f32[3] = aten.add.Tensor(%x, %y)
                     %b: f32[3] = aten.mul.Tensor(%x, 2)
                     return (%a, %b)
                   })"),
       values(graph, {"x"}), values(graph, {"y"})},
      {tensor_value("a", DType::kFloat32, {2, 3}), tensor_value("b", DType::kFloat32, {2, 3})});
  const auto executable = compile(graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const auto out =
      run(**executable, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3}, {10, 20, 30})}, 2);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[0]), ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(ControlFlow, NestsAndStandsBetweenPieces) {
  Graph inner = graph_of("graph(%i: i64[], %a: f32[2]) { return () }");
  Graph body = graph_of(R"(graph(%i: i64[], %a: f32[2]) {
    %j: i64[] = aten.add.Tensor(%i, 1)
    %odd: bool[] = aten.gt.Scalar(%i, 0)
    return (%j)
  })");
  add_control_flow(body, cond_schema(),
                   {ValueRef{body.find_value("odd")}, nested(R"(graph(%a: f32[2]) {
                     %n: f32[2] = aten.neg.default(%a)
                     return (%n)
                   })"),
                    nested(R"(graph(%a: f32[2]) {
                     %n: f32[2] = aten.mul.Tensor(%a, 10)
                     return (%n)
                   })"),
                    values(body, {"a"})},
                   {tensor_value("c", DType::kFloat32, {2})});
  Graph graph = graph_of(R"(graph(%i: i64[], %x: f32[2]) {
    %r: f32[2] = aten.relu.default(%x)
    return ()
  })");
  add_control_flow(graph, while_schema(),
                   {nested(R"(graph(%i: i64[], %a: f32[2]) {
                     %lt: bool[] = aten.lt.Scalar(%i, 3)
                     return (%lt)
                   })"),
                    std::shared_ptr<const Graph>(std::make_shared<Graph>(body)),
                    values(graph, {"i", "r"}), TensorList{}},
                   {tensor_value("j", DType::kInt64, {}), tensor_value("y", DType::kFloat32, {2})});
  const ValueId z = graph.add_value(tensor_value("z", DType::kFloat32, {2}));
  graph.add_node({find_op("aten.add.Tensor"),
                  {ValueRef{graph.find_value("y")}, ValueRef{graph.find_value("r")}, int64_t{1}},
                  {z},
                  "add"});
  graph.add_output(ValueRef{z});
  const auto executable = compile(graph);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const auto out = run(**executable, {integers({}, {0}), floats({2}, {1, -2})}, 3);
  ASSERT_TRUE(out.ok()) << out.status().to_string();
  EXPECT_THAT(floats_of((*out)[1]), ElementsAre(10, 0));
  EXPECT_THAT(floats_of((*out)[2]), ElementsAre(11, 0));
}

TEST(ControlFlow, BodiesAreIdentifiedByTheirPlace) {
  const TestEngine test = make_test_engine();
  ASSERT_TRUE(test.engine->compile_identified(cond_graph(), "id").ok());
  EXPECT_THAT(test.recording->identities, Contains("id#0/1"));
  ASSERT_TRUE(test.engine->compile(cond_graph()).ok());
  EXPECT_THAT(test.recording->compiled, Contains("exact: mul"));
  EXPECT_THAT(test.recording->runs, IsEmpty());
}

TEST(ControlFlow, WhatDoesNotFitIsRefusedByName) {
  Graph wrong = graph_of("graph(%p: bool[], %x: f32[2]) { return () }");
  add_control_flow(wrong, cond_schema(),
                   {ValueRef{wrong.find_value("p")}, nested("graph() { return (1) }"),
                    nested("graph(%x: f32[2]) { return (%x) }"), values(wrong, {"x"})},
                   {tensor_value("c", DType::kFloat32, {2})});
  EXPECT_TRUE(mentions(compile(wrong).status(),
                       {"'control'", "higher_order.cond", "nested graph 1", "0 inputs"}));
  const auto schema = parse_op_schema("higher_order.unheard_of", "(Graph body) -> Tensor[]");
  ASSERT_TRUE(schema.ok());
  Graph unknown = graph_of("graph(%x: f32[2]) { return () }");
  add_control_flow(unknown, *schema, {nested("graph() { return (1) }")},
                   {tensor_value("c", DType::kInt64, {})});
  const Status status = compile(unknown).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(status, {"'control'", "higher_order.unheard_of", "not run"}));
}

TEST(ControlFlow, AnExactNodeInABodyNeedsTheExactEngineToo) {
  const TestEngine test = make_test_engine(false);
  const Status status = test.engine->compile(while_graph({"b"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(status, {"'control'", "aten.mul.Tensor", "needs the exact engine"}));
}

}  // namespace
}  // namespace changeaware::mixed
