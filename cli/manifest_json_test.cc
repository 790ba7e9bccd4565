#include "cli/manifest_json.h"

#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

Manifest example() {
  Manifest manifest;
  manifest.engine_name = "engine";
  manifest.engine_version = "1.2";
  manifest.torch_version = "2.13.0";
  manifest.inputs = {{{"x", DType::kFloat32, {"s0", "3"}}, ""}, {{"mode", DType::kInt64, {}}, "3"}};
  ProgramOutput none;
  none.name = "nothing";
  none.kind = ProgramOutput::Kind::kNone;
  ProgramOutput flag;
  flag.name = "flag";
  flag.kind = ProgramOutput::Kind::kBool;
  flag.int_value = 1;
  ProgramOutput y;
  y.name = "y";
  y.port = {"add", DType::kFloat32, {"2*s0"}};
  manifest.outputs = {y, none, flag};
  Callable main;
  main.name = "main";
  main.dependencies = {"x"};
  main.inputs = {{"x", DType::kFloat32, {"s0", "3"}}};
  main.outputs = {y.port};
  main.assertions = {"x is positive"};
  main.weight_bytes = uint64_t{5} << 32;
  main.node_count = 7;
  manifest.callables = {main};
  manifest.callables[0].costs = {1.5, 2.5, 3.5, 4.5, 5};
  manifest.strategies = {{.name = "monolithic",
                          .callables = {"main"},
                          .retained = {"add"},
                          .retained_bytes = 8,
                          .resident_bytes = 9,
                          .mask_costs = {{{"x"}, {"main"}, 1.5, 2.5}},
                          .bits_of_main = true}};
  manifest.strategy_candidates = 3;
  manifest.tolerance = {0.5, 0.25, 0};
  manifest.rejections = {{"thinner cut", "retains \"more\""}};
  manifest.symbols = {{"s0", 1, INT64_MAX}};
  manifest.verified = true;
  return manifest;
}

TEST(ManifestJson, HasEverythingInOrder) {
  EXPECT_EQ(
      manifest_to_json(example()),
      R"({"inputs":[{"name":"x","dtype":"float32","shape":["s0",3]},{"name":"mode","fixed_value":"3"}],)"
      R"("outputs":[{"name":"y","dtype":"float32","shape":["2*s0"],"value":"add"},)"
      R"({"name":"nothing","fixed_value":null},{"name":"flag","fixed_value":true}],)"
      R"("callables":[{"name":"main","identity":"","dependencies":["x"],"shape_dependencies":[],)"
      R"("inputs":[{"name":"x","dtype":"float32","shape":["s0",3]}],)"
      R"("outputs":[{"name":"add","dtype":"float32","shape":["2*s0"]}],)"
      R"("weight_bytes":21474836480,"node_count":7,"exact_node_count":0,"assertions":["x is positive"],)"
      R"("costs":{"steady_us":1.5,"p95_us":2.5,"cold_us":3.5,"load_us":4.5,"resident_bytes":5}}],)"
      R"("strategies":[{"name":"monolithic","callables":["main"],"retained":["add"],)"
      R"("retained_bytes":8,"resident_bytes":9,)"
      R"("mask_costs":[{"changed":["x"],"runs":["main"],"steady_us":1.5,"p95_us":2.5}],)"
      R"("bits_of_main":true,"difference_from_main":""}],"strategy_candidates":3,)"
      R"("rejections":[{"candidate":"thinner cut","reason":"retains \"more\""}],)"
      R"("symbols":[{"symbol":"s0","min":1,"max":9223372036854775807}],"verified":true,)"
      R"("costs_are_measured":false,"tolerance":{"rtol":0.5,"atol":0.25,"of_scale":0.0},)"
      R"("engine":{"name":"engine","version":"1.2"},"exact_engine":{"everything":false,"version":"","op_libraries":[]},"versions":{"format":"2.1","torch":"2.13.0"}})");
}

}  // namespace
}  // namespace changeaware::cli
