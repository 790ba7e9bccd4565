#include "normalise/autocast.h"

#include "normalise/test_util.h"

namespace changeaware {
namespace {

// %region = wrap_with_autocast(body, %x), %x: f32[2, 2].
Graph under_autocast(const std::string& body, Argument dtype = DType::kBFloat16,
                     const std::string& device = "cpu", DType result = DType::kBFloat16) {
  Graph graph = parse_or_die("graph(%x: f32[2, 2]) { return () }");
  Node node{find_op("higher_order.wrap_with_autocast"), {}, {}, "region"};
  node.args = {device,
               std::move(dtype),
               true,
               None{},
               std::make_shared<const Graph>(parse_or_die(body)),
               TensorList{{graph.inputs()[0]}}};
  Value value;
  value.name = "region";
  value.spec = graph.value(graph.inputs()[0]).spec;
  value.spec.dtype = result;
  node.outputs = {graph.add_value(std::move(value))};
  graph.add_output(ValueRef{node.outputs[0]});
  graph.add_node(std::move(node));
  return graph;
}

std::string inlined(const Graph& graph) { return run_pass(inline_bodies, graph); }

TEST(Autocast, AProductIsCastToTheDtypeOfTheRegion) {
  const std::string body =
      "graph(%y: f32[2, 2]) { %m: bf16[2, 2] = aten.mm.default(%y, %y) return (%m) }";
  EXPECT_EQ(inlined(under_autocast(body)), R"(graph(%x: f32[2, 2]) {
  %x_bfloat16: bf16[2, 2] = aten.to.dtype(%x, bf16)
  %region: bf16[2, 2] = aten.mm.default(%x_bfloat16, %x_bfloat16)
  return (%region)
}
)");
}

TEST(Autocast, BFloat16IsTheDefault) {
  const std::string body =
      "graph(%y: f32[2, 2]) { %m: bf16[2, 2] = aten.mm.default(%y, %y) return (%m) }";
  EXPECT_EQ(inlined(under_autocast(body, None{})), inlined(under_autocast(body)));
}

TEST(Autocast, TheListOfFloat32WidensHalf) {
  const std::string text = inlined(under_autocast(R"(graph(%y: f32[2, 2]) {
    %m: bf16[2, 2] = aten.mm.default(%y, %y)
    %p: f32[2] = aten.prod.dim_int(%m, 0)
    %b: bf16[2, 2] = aten.relu.default(%m)
    return (%b)
  })"));
  EXPECT_NE(text.find("%m_float32: f32[2, 2] = aten.to.dtype(%m, f32)"), std::string::npos) << text;
  EXPECT_NE(text.find("aten.prod.dim_int(%m_float32, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("aten.relu.default(%m)"), std::string::npos) << text;
}

TEST(Autocast, JoinedTensorsAreCastToTheWidestAndNumbersOfOtherKindsStay) {
  const std::string text = inlined(under_autocast(R"(graph(%y: f32[2, 2]) {
    %m: bf16[2, 2] = aten.mm.default(%y, %y)
    %i: i64[2, 2] = aten.argsort.default(%m)
    %c: f32[6, 2] = aten.cat.default([%m, %y, %i])
    return (%m)
  })"));
  EXPECT_NE(text.find("aten.cat.default([%region_float32, %x, %i])"), std::string::npos) << text;
}

TEST(Autocast, Float64IsNotCast) {
  const std::string text =
      inlined(under_autocast("graph(%y: f32[2, 2]) { %d: f64[2, 2] = aten.to.dtype(%y, f64)\n"
                             "%m: f64[2, 2] = aten.mm.default(%d, %d) return (%m) }",
                             DType::kBFloat16, "cpu", DType::kFloat64));
  EXPECT_NE(text.find("aten.mm.default(%d, %d)"), std::string::npos) << text;
}

TEST(Autocast, RegionsOfOtherDevicesAndOtherDtypesChangeNothing) {
  const std::string body =
      "graph(%y: f32[2, 2]) { %m: f32[2, 2] = aten.mm.default(%y, %y) return (%m) }";
  for (const Graph& graph : {under_autocast(body, DType::kBFloat16, "cuda", DType::kFloat32),
                             under_autocast(body, DType::kFloat32, "cpu", DType::kFloat32)}) {
    EXPECT_NE(inlined(graph).find("aten.mm.default(%x, %x)"), std::string::npos) << inlined(graph);
  }
}

TEST(Autocast, ACompositeOfUnknownPartsIsRefusedByName) {
  EXPECT_EQ(inlined(under_autocast("graph(%y: f32[2, 2]) { %m: bf16[2, 2] = "
                                   "aten.tensordot.default(%y, %y, [1], [0]) return (%m) }")),
            "Unsupported: node 'm': what autocast casts inside aten.tensordot.default is not "
            "known; export the model with this part outside of autocast");
}

TEST(Autocast, AnotherRecordedDtypeIsRefusedByName) {
  EXPECT_EQ(
      inlined(under_autocast("graph(%y: f32[2, 2]) { %m: f32[2, 2] = aten.mm.default(%y, %y)\n"
                             "%b: bf16[2, 2] = aten.to.dtype(%m, bf16) return (%b) }")),
      "Unsupported: node 'm': aten.mm.default under autocast would give bfloat16 for 'm', "
      "which the program has as float32");
}

TEST(Autocast, PadsFollowTheirMode) {
  const auto pad = [](const std::string& mode, const std::string& dtype) {
    return inlined(under_autocast(
        "graph(%y: f32[2, 2]) { %m: bf16[2, 2] = aten.mm.default(%y, %y)\n"
        "%p: " +
        dtype + "[2, 4] = aten.pad.default(%m, [1, 1], \"" + mode + "\") return (%m) }"));
  };
  EXPECT_NE(pad("constant", "bf16").find("aten.pad.default(%region, "), std::string::npos);
  EXPECT_NE(pad("reflect", "f32").find("aten.pad.default(%region_float32, "), std::string::npos);
}

}  // namespace
}  // namespace changeaware
