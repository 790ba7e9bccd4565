// Which nodes the OpenVINO engine says it does not run.
#include <gmock/gmock.h>

#include "engine/openvino/refusal_search.h"
#include "engine/openvino/test_support.h"

namespace changeaware::ovn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<NodeRefusal> refusals_of(const std::string& text) {
  const auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  auto refused = test_engine().refusals(*graph);
  EXPECT_TRUE(refused.ok()) << refused.status().to_string();
  return refused.ok() ? *std::move(refused) : std::vector<NodeRefusal>();
}

std::vector<NodeId> nodes_of(const std::vector<NodeRefusal>& refused) {
  std::vector<NodeId> out;
  for (const NodeRefusal& r : refused) out.push_back(r.node);
  return out;
}

TEST(Refusals, AGraphThatCompilesHasNone) {
  EXPECT_THAT(refusals_of(R"(graph(%a: f32[2, 2], %b: f32[4]) {
    %w = constant f32[2, 2] {1, 2, 3, 4}
    %p: f32[2, 2] = aten.mm.default(%a, %w)
    %s: f32[2], %t: f32[2] = aten.split.Tensor(%b, 2)
    %c: f32[2, 2] = aten.stack.default([%s, %t])
    %r: f32[2, 2] = aten.add.Tensor(%p, %c)
    return (%r)
  })"),
              IsEmpty());
}

TEST(Refusals, EveryKnownOneIsListedWithItsReason) {
  const auto refused = refusals_of(R"(graph(%x: f32[2], %y: f32[2], %d: f64[2], %n: i64[2]) {
    %wide = constant i64[2] {1, 5000000000}
    %a: f32[2] = aten.atan2.default(%x, %n)
    %b: f32[2] = aten.add.Tensor(%a, %y)
    %e: f64[2] = aten.mul.Tensor(%d, 2)
    %f: f32[2] = aten.to.dtype(%e, f32)
    %g: i64[2] = aten.add.Tensor(%n, %wide)
    %h: f32[2] = aten.atan2.default(%f, %n)
    return (%b, %g, %h)
  })");
  EXPECT_THAT(nodes_of(refused), ElementsAre(0, 2, 3, 4, 5));
  ASSERT_EQ(refused.size(), 5u);
  EXPECT_EQ(refused[0].reason, "an integer and a float");
  EXPECT_THAT(refused[1].reason, HasSubstr("float64"));
  EXPECT_THAT(refused[3].reason, HasSubstr("5000000000 is outside int32"));
}

TEST(Refusals, OperatorsWithoutConversionAreAllFoundAlsoBehindEachOther) {
  const auto refused = refusals_of(R"(graph(%x: f32[4]) {
    %a: f32[4] = aten.i0.default(%x)
    %b: f32[4] = aten.add.Tensor(%a, 1)
    %c: f32[4] = aten.lgamma.default(%b)
    %d: f32[4] = aten.relu.default(%c)
    %e: f32[4] = aten.digamma.default(%d)
    return (%e)
  })");
  EXPECT_THAT(nodes_of(refused), ElementsAre(0, 2, 4));
  for (const NodeRefusal& r : refused) EXPECT_THAT(r.reason, HasSubstr("no conversion"));
}

TEST(Refusals, AResultThatIsNotWhatTheProgramSaysIsItsNodesFault) {
  const auto refused = refusals_of(R"(graph(%x: f32[2, 3]) {
    %a: f32[2, 3] = aten.relu.default(%x)
    %b: f32[3, 3] = aten.neg.default(%a)
    %c: f32[3, 3] = aten.abs.default(%b)
    %d: i64[2, 3] = aten.relu.default(%a)
    return (%c, %d)
  })");
  EXPECT_THAT(nodes_of(refused), ElementsAre(1, 3));
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].reason, "'b': expected f32[3,3], got f32[2,3]");
}

TEST(Refusals, ATranslationOfOursThatDoesNotCoverItsArgumentsIsListed) {
  const auto refused = refusals_of(R"(graph(%x: f32[s0, 4]) {
    %a: f32[s0] = aten.var.correction(%x, [1], correction=1)
    %b: f32[] = aten.var.correction(%x, None, correction=1)
    %c: f32[s0] = aten.add.Tensor(%a, %b)
    return (%c)
  })");
  EXPECT_THAT(nodes_of(refused), ElementsAre(1));
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(refused[0].reason, HasSubstr("symbolic number of elements"));
}

TEST(Refusals, AnIndexOutsideItsDimensionIsNobodysRefusal) {
  const auto graph = parse_graph(R"(graph(%x: f32[2]) {
    %i = constant i64[1] {5}
    %a: f32[1] = aten.index_select.default(%x, 0, %i)
    return (%a)
  })");
  ASSERT_TRUE(graph.ok());
  const auto refused = test_engine().refusals(*graph);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidProgram);
  EXPECT_THAT(refused.status().message(), HasSubstr("index 5 is out of range"));
}

constexpr const char* kForTheCompiler = R"(graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  %b: f32[2] = aten.exp.default(%a)
  %c: f32[2] = aten.neg.default(%b)
  %d: f32[2] = aten.exp.default(%c)
  return (%d)
})";

size_t count_ops(const ov::Model& model, const std::string& type) {
  size_t count = 0;
  for (const auto& op : model.get_ops()) count += op->get_type_name() == type ? 1 : 0;
  return count;
}

TEST(Refusals, WhatTheCompilerThrowsAtIsFoundOneByOne) {
  const auto graph = parse_graph(kForTheCompiler);
  ASSERT_TRUE(graph.ok());
  int calls = 0;
  const auto refused = find_refusals(*graph, [&](const std::shared_ptr<ov::Model>& model) {
    ++calls;
    if (count_ops(*model, "Exp") > 0) throw std::runtime_error("no exponentials");
  });
  ASSERT_TRUE(refused.ok()) << refused.status().to_string();
  EXPECT_THAT(nodes_of(*refused), ElementsAre(1, 3));
  EXPECT_EQ((*refused)[0].reason, "no exponentials");
  // The whole, the three kinds of nodes (one of the two equal ones), and what is left.
  EXPECT_EQ(calls, 5);
}

TEST(Refusals, WhatTheCompilerThrowsAtInCompanyIsFoundByHalving) {
  const auto graph = parse_graph(kForTheCompiler);
  ASSERT_TRUE(graph.ok());
  const auto refused = find_refusals(*graph, [&](const std::shared_ptr<ov::Model>& model) {
    if (count_ops(*model, "Exp") > 1) throw std::runtime_error("one exponential at most");
  });
  ASSERT_TRUE(refused.ok()) << refused.status().to_string();
  EXPECT_THAT(nodes_of(*refused), ElementsAre(3));
}

}  // namespace
}  // namespace changeaware::ovn
