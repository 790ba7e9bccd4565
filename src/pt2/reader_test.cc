#include "pt2/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "graph/text.h"
#include "pt2/test_programs.h"

namespace changeaware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> input_names(const ExportedProgram& program) {
  std::vector<std::string> names;
  for (const InputSpec& input : program.signature.inputs) names.push_back(input.name);
  return names;
}

std::vector<std::string> output_names(const ExportedProgram& program) {
  std::vector<std::string> names;
  for (const OutputSpec& output : program.signature.outputs) names.push_back(output.name);
  return names;
}

const Constant& constant(const ExportedProgram& program, const std::string& fqn) {
  for (const Constant& c : program.graph.constants()) {
    if (c.fqn == fqn) return c;
  }
  ADD_FAILURE() << "no constant " << fqn;
  static const Constant kNone;
  return kNone;
}

const Node& node(const ExportedProgram& program, const std::string& op) {
  for (const Node& n : program.graph.nodes()) {
    if (n.op->name == op) return n;
  }
  ADD_FAILURE() << "no node " << op;
  static const Node kNone;
  return kNone;
}

const Argument& arg(const Node& n, const std::string& name) {
  return n.args[static_cast<size_t>(n.op->arg_index(name))];
}

std::vector<float> floats(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

TEST(Pt2Reader, TheRealFixtureIsReadWhole) {
  const auto program = read_pt2(fixture_path());
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_EQ(program->schema_major, 8);
  EXPECT_EQ(program->schema_minor, 20);
  EXPECT_EQ(program->graph.nodes().size(), 583u);
  EXPECT_EQ(program->graph.constants().size(), 280u);
  EXPECT_THAT(input_names(*program),
              ElementsAre("batched_images", "batched_points", "batched_point_labels"));
  ASSERT_EQ(program->sample_inputs.size(), 3u);
  EXPECT_EQ(program->sample_inputs[0].shape(), (Shape{1, 3, 1024, 1024}));
  for (const Constant& c : program->graph.constants()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(c.tensor.data()) % 64, 0u) << c.fqn;
  }
}

TEST(Pt2Reader, ThePayloadsOfTheFixtureHaveTheirCrc) {
  const auto archive = Archive::open(fixture_path());
  ASSERT_TRUE(archive.ok()) << archive.status().to_string();
  const auto program =
      read_program(*archive, "model", {.sample_inputs = false, .verify_payloads = true});
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_TRUE(program->sample_inputs.empty());
}

TEST(Pt2Reader, KeywordInputsKeepTheirNamesAndFixedOnesTheirValue) {
  const ExportedProgram program = read_ok(program_path("kwargs_order"));
  EXPECT_THAT(input_names(program), ElementsAre("x1", "flag", "x2"));
  EXPECT_EQ(program.signature.inputs[1].value, Argument(true));
  ASSERT_EQ(program.graph.inputs().size(), 2u);
  ASSERT_EQ(program.sample_inputs.size(), 2u);
  EXPECT_THAT(floats(program.sample_inputs[0]), ElementsAre(1, 1));
  EXPECT_THAT(floats(program.sample_inputs[1]), ElementsAre(2, 2));
  EXPECT_EQ(constant(program, "linear1.weight").kind, ConstantKind::kParameter);
}

TEST(Pt2Reader, NestedInputsAndOutputsAreNamedByTheirKeys) {
  const ExportedProgram program = read_ok(program_path("nested_dict"));
  EXPECT_THAT(input_names(program), ElementsAre("x", "extra_b", "extra_a"));
  EXPECT_THAT(output_names(program), ElementsAre("logits", "hidden.0", "hidden.1", "pair.first",
                                                 "pair.second", "scores.best", "scores.rest"));
  ASSERT_EQ(program.sample_inputs.size(), 3u);
  EXPECT_THAT(floats(program.sample_inputs[1]), ElementsAre(2, 2));
  EXPECT_THAT(floats(program.sample_inputs[2]), ElementsAre(3, 3));
}

TEST(Pt2Reader, SamplesFollowTheTreeSpecNotTheOrderInThePickle) {
  // The same program with the keys of the dictionary listed the other way round.
  const auto copy =
      edited_copy(program_path("nested_dict"),
                  replace_in("models/model.json", R"(\"context\": \"[\\\"b\\\", \\\"a\\\"]\")",
                             R"(\"context\": \"[\\\"a\\\", \\\"b\\\"]\")"));
  const auto program = read_archive(copy);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  ASSERT_EQ(program->sample_inputs.size(), 3u);
  EXPECT_THAT(floats(program->sample_inputs[1]), ElementsAre(3, 3));
  EXPECT_THAT(floats(program->sample_inputs[2]), ElementsAre(2, 2));
}

TEST(Pt2Reader, AValueReturnedTwiceAndInputsAndConstantsReturnedStayOutputs) {
  const ExportedProgram program = read_ok(program_path("duplicates"));
  EXPECT_THAT(output_names(program), ElementsAre("relu", "add", "relu_1", "image", "c_constant"));
  const auto& outputs = program.graph.outputs();
  EXPECT_EQ(outputs[0], outputs[2]);
  EXPECT_EQ(outputs[3], Argument(ValueRef{program.graph.inputs()[0]}));
  const Constant* lifted = program.graph.constant_of(std::get<ValueRef>(outputs[4]).id);
  ASSERT_NE(lifted, nullptr);
  EXPECT_EQ(lifted->kind, ConstantKind::kLifted);
  EXPECT_THAT(floats(lifted->tensor), ElementsAre(0, 1, 2));
}

TEST(Pt2Reader, NumbersAndNoneStayAmongInputsAndOutputs) {
  const ExportedProgram program = read_ok(program_path("fixed_outputs"));
  EXPECT_THAT(input_names(program), ElementsAre("x", "scale", "name"));
  EXPECT_EQ(program.signature.inputs[1].value, Argument(2.5));
  EXPECT_EQ(program.signature.inputs[2].value, Argument(std::string("sum")));
  const auto& outputs = program.graph.outputs();
  ASSERT_EQ(outputs.size(), 6u);
  EXPECT_EQ(outputs[1], Argument(None{}));
  EXPECT_EQ(outputs[2], Argument(int64_t{3}));
  EXPECT_EQ(outputs[3], Argument(true));
  EXPECT_EQ(outputs[4], Argument(int64_t{2}));
  EXPECT_EQ(outputs[5], Argument(0.5));
  EXPECT_EQ(program.signature.outputs[1].name, "output_1");
  EXPECT_EQ(arg(node(program, "aten.mul.Tensor"), "other"), Argument(2.5));
}

TEST(Pt2Reader, WeightsThatAreViewsHaveTheirElements) {
  const ExportedProgram program = read_ok(program_path("views"));
  const Tensor rows = constant(program, "rows").tensor;
  EXPECT_EQ(floats(rows).front(), 6);
  EXPECT_EQ(floats(rows).back(), 17);
  EXPECT_EQ(floats(constant(program, "tail").tensor).front(), 18);
  EXPECT_EQ(rows.storage(), constant(program, "tail").tensor.storage());
  EXPECT_THAT(floats(constant(program, "transposed").tensor), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(constant(program, "expanded").tensor.strides(), ElementsAre(0, 0));
  EXPECT_EQ(floats(constant(program, "expanded").tensor), std::vector<float>(12, 1));
  EXPECT_THAT(constant(program, "conv.weight").tensor.strides(), ElementsAre(12, 1, 6, 3));
  EXPECT_EQ(constant(program, "empty").tensor.shape(), (Shape{0, 3}));
  EXPECT_EQ(constant(program, "head.weight").tensor.storage(),
            constant(program, "embedding.weight").tensor.storage());
  EXPECT_EQ(constant(program, "rows").kind, ConstantKind::kBuffer);
  EXPECT_EQ(constant(program, "scratch").kind, ConstantKind::kNonPersistentBuffer);
  EXPECT_THAT(floats(constant(program, "scratch").tensor), ElementsAre(4, 4, 4, 4));
}

TEST(Pt2Reader, SymbolicSizesRangesAndAssertionsAreKept) {
  const ExportedProgram program = read_ok(program_path("dynamic"));
  const Graph& graph = program.graph;
  const TensorSpec& x = graph.value(graph.inputs()[0]).spec;
  ASSERT_EQ(x.dims.size(), 1u);
  EXPECT_EQ(x.dims[0].size, 8);
  EXPECT_THAT(x.dims[0].expression, testing::MatchesRegex("2\\*s[0-9]+"));
  const std::string symbol = x.dims[0].expression.substr(2);
  ASSERT_TRUE(graph.symbols().contains(symbol));
  EXPECT_EQ(graph.symbols().at(symbol).min, 0);  // 2 in the file: not checked by PyTorch
  EXPECT_EQ(graph.symbols().at(symbol).max, 64);
  ASSERT_EQ(graph.assertions().size(), 1u);
  EXPECT_EQ(graph.assertions()[0].message, "x must be positive");
  const Value& size = graph.value(node(program, "aten.sym_size.int").outputs[0]);
  EXPECT_EQ(size.kind, ValueKind::kSymInt);
  EXPECT_EQ(size.symbol, x.dims[0]);
  EXPECT_TRUE(
      std::holds_alternative<SymIntList>(arg(node(program, "aten.reshape.default"), "shape")));
  const auto& last = graph.value(std::get<ValueRef>(graph.outputs()[1]).id);
  EXPECT_EQ(last.symbol.expression, "4*" + symbol + " + 1");
}

TEST(Pt2Reader, NestedGraphsHaveTheirInputsAndOutputs) {
  const ExportedProgram program = read_ok(program_path("no_grad"));
  const Node& no_grad = node(program, "higher_order.wrap_with_set_grad_enabled");
  EXPECT_EQ(arg(no_grad, "enabled"), Argument(false));
  const auto body = std::get<std::shared_ptr<const Graph>>(arg(no_grad, "body"));
  EXPECT_EQ(body->inputs().size(), 2u);
  EXPECT_EQ(body->outputs().size(), 2u);
  EXPECT_EQ(std::get<TensorList>(arg(no_grad, "operands")).items.size(), 2u);
  EXPECT_EQ(no_grad.outputs.size(), 2u);
  const Node& autocast = node(program, "higher_order.wrap_with_autocast");
  EXPECT_EQ(arg(autocast, "device_type"), Argument(std::string("cpu")));
  EXPECT_EQ(arg(autocast, "dtype"), Argument(DType::kBFloat16));
}

TEST(Pt2Reader, ArgumentsOfEveryKindAreMatchedAndDefaultsFilledIn) {
  const ExportedProgram program = read_ok(program_path("operators"));
  const Node& max = node(program, "aten.max.dim");
  EXPECT_EQ(max.outputs.size(), 2u);
  EXPECT_EQ(arg(max, "keepdim"), Argument(false));
  EXPECT_EQ(node(program, "aten.split.Tensor").outputs.size(), 2u);
  const auto indices = std::get<TensorList>(arg(node(program, "aten.index.Tensor"), "indices"));
  ASSERT_EQ(indices.items.size(), 2u);
  EXPECT_FALSE(indices.items[0].has_value());
  EXPECT_TRUE(indices.items[1].has_value());
  EXPECT_EQ(arg(node(program, "aten.masked_fill.Scalar"), "value"),
            Argument(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(arg(node(program, "aten.gelu.default"), "approximate"), Argument(std::string("tanh")));
  EXPECT_EQ(arg(node(program, "aten.sum.dim_IntList"), "dtype"), Argument(DType::kFloat32));
  EXPECT_EQ(arg(node(program, "aten.zeros_like.default"), "memory_format"),
            Argument(MemoryFormat::kContiguous));
  EXPECT_EQ(arg(node(program, "aten.max_pool2d.default"), "kernel_size"),
            Argument(std::vector<int64_t>{2, 2}));
  EXPECT_EQ(arg(node(program, "aten.max_pool2d.default"), "padding"),
            Argument(std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(std::holds_alternative<None>(
      arg(node(program, "aten.upsample_bilinear2d.vec"), "output_size")));
}

TEST(Pt2Reader, CoreAtenIsRead) {
  const ExportedProgram program = read_ok(program_path("operators_core"));
  EXPECT_EQ(program.signature.outputs.size(), 9u);
  EXPECT_EQ(node(program, "aten.max_pool2d_with_indices.default").outputs.size(), 2u);
}

TEST(Pt2Reader, WritesToABufferInTrainingFormStayVisibleAsNodes) {
  const ExportedProgram program = read_ok(program_path("writes_buffer"));
  const Node& copy = node(program, "aten.copy_.default");
  EXPECT_EQ(arg(copy, "self"), Argument(ValueRef{constant(program, "state").value}));
}

Result<ExportedProgram> with_floats(const std::string& list) {
  return read_archive(
      edited_copy(program_path("operators"),
                  replace_in("models/model.json", "\"as_floats\": [2.0, 2.0]", list)));
}

TEST(Pt2Reader, AListThatCouldBeSymbolicAndIsNotIsAPlainList) {
  const auto plain = with_floats("\"as_floats\": [2.0, 2.0]");
  const auto wrapped = with_floats("\"as_sym_floats\": [{\"as_float\": 2.0}, {\"as_float\": 2.0}]");
  ASSERT_TRUE(plain.ok()) << plain.status().to_string();
  ASSERT_TRUE(wrapped.ok()) << wrapped.status().to_string();
  EXPECT_EQ(print_graph(wrapped->graph), print_graph(plain->graph));
}

TEST(Pt2Reader, KindsThatNoOperatorHasAreRefusedByName) {
  for (const char* kind : {"as_complex", "as_int_lists", "as_float_lists", "as_nested_tensors",
                           "as_strings", "as_string_to_argument", "as_operator"}) {
    const auto program = with_floats("\"" + std::string(kind) + "\": [[]]");
    ASSERT_FALSE(program.ok()) << kind;
    EXPECT_EQ(program.status().code(), StatusCode::kUnsupported) << kind;
    EXPECT_NE(program.status().message().find(kind), std::string::npos)
        << program.status().message();
    EXPECT_NE(program.status().message().find("node '"), std::string::npos)
        << program.status().message();
  }
}

}  // namespace
}  // namespace changeaware
