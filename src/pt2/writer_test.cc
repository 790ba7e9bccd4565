#include "pt2/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "graph/text.h"
#include "pt2/test_programs.h"

namespace changeaware {
namespace {

using testing::HasSubstr;

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string write_ok(const std::string& path, const std::vector<const ExportedProgram*>& programs) {
  auto writer = Pt2Writer::create(path);
  EXPECT_TRUE(writer.ok()) << writer.status().to_string();
  for (const ExportedProgram* program : programs) {
    const Status status = (*writer)->add_program(*program);
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
  const Status status = (*writer)->finish();
  EXPECT_TRUE(status.ok()) << status.to_string();
  return path;
}

void expect_same_constants(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.constants().size(), b.constants().size());
  for (const Constant& c : a.constants()) {
    const Constant* other = b.constant_of(b.find_value(a.value(c.value).name));
    ASSERT_NE(other, nullptr) << c.fqn;
    EXPECT_EQ(other->fqn, c.fqn);
    EXPECT_EQ(other->kind, c.kind) << c.fqn;
    EXPECT_TRUE(bit_identical(other->tensor, c.tensor)) << c.fqn;
    EXPECT_EQ(other->tensor.strides(), c.tensor.strides()) << c.fqn;
    EXPECT_EQ(other->tensor.storage_offset(), c.tensor.storage_offset()) << c.fqn;
    EXPECT_EQ(other->tensor.storage()->bytes(), c.tensor.storage()->bytes()) << c.fqn;
  }
}

void expect_same(const ExportedProgram& a, const ExportedProgram& b) {
  EXPECT_EQ(print_graph(a.graph), print_graph(b.graph));
  expect_same_constants(a.graph, b.graph);
  EXPECT_EQ(a.graph.symbols(), b.graph.symbols());
  EXPECT_EQ(a.signature.in_spec, b.signature.in_spec);
  EXPECT_EQ(a.signature.out_spec, b.signature.out_spec);
  EXPECT_EQ(a.signature.forward_arg_names, b.signature.forward_arg_names);
  ASSERT_EQ(a.signature.inputs.size(), b.signature.inputs.size());
  for (size_t i = 0; i < a.signature.inputs.size(); ++i) {
    EXPECT_EQ(a.signature.inputs[i].name, b.signature.inputs[i].name);
  }
  ASSERT_EQ(a.signature.outputs.size(), b.signature.outputs.size());
  for (size_t i = 0; i < a.signature.outputs.size(); ++i) {
    EXPECT_EQ(a.signature.outputs[i].name, b.signature.outputs[i].name);
  }
  ASSERT_EQ(a.sample_inputs.size(), b.sample_inputs.size());
  for (size_t i = 0; i < a.sample_inputs.size(); ++i) {
    EXPECT_TRUE(bit_identical(a.sample_inputs[i], b.sample_inputs[i])) << i;
  }
}

ExportedProgram from_text(const std::string& name, const std::string& text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  ExportedProgram program;
  program.name = name;
  if (graph.ok()) program.graph = std::move(*graph);
  return program;
}

TEST(Pt2Writer, WhatIsReadBackEqualsWhatWasWritten) {
  for (const std::string& name : readable_programs()) {
    SCOPED_TRACE(name);
    const ExportedProgram program = read_ok(program_path(name));
    expect_same(program, read_ok(write_ok(test_path(name + ".pt2"), {&program})));
  }
}

TEST(Pt2Writer, TheRealFixtureSurvivesTheRoundTrip) {
  const ExportedProgram program = read_ok(fixture_path());
  ASSERT_EQ(program.graph.constants().size(), 280u);
  const std::string path = write_ok(test_path("fixture.pt2"), {&program});
  expect_same(program, read_ok(path));
  std::remove(path.c_str());
}

TEST(Pt2Writer, HandMadeGraphsSurviveTheRoundTrip) {
  const std::string text = R"(graph(%img: f32[2, s0], %n: sym(s1)) {
  %w = constant f32[2] {1, 2}
  %size: sym(s0) = aten.sym_size.int(%img, 1)
  %twice: sym(2*s0) = _operator.mul(2, %size)
  %best: f32[2], %where: i64[2] = aten.max.dim(%img, 1)
  %a: f32[2], %b: f32[2] = aten.unbind.int(%img, 1)
  %sum: f32[2] = aten.add.Tensor(%best, %w, alpha=3)
  %cat: f32[4] = aten.cat.default([%a, %b])
  %flat: f32[2*s0] = aten.reshape.default(%img, [%twice])
  %ok: bool[] = aten.all.default(%sum)
  assert %ok "must hold"
  return (%sum, %flat, %cat, %twice, None, 3, %img)
}
)";
  ExportedProgram program = from_text("hand", text);
  for (NodeId n = 1; n < program.graph.nodes().size(); n += 2)
    program.graph.mutable_node(n).exact = true;
  const ExportedProgram back = read_ok(write_ok(test_path("hand.pt2"), {&program}));
  EXPECT_EQ(print_graph(back.graph), print_graph(program.graph));
  for (NodeId n = 0; n < back.graph.nodes().size(); ++n)
    EXPECT_EQ(back.graph.node(n).exact, n % 2 == 1) << n;
  expect_same_constants(program.graph, back.graph);
  EXPECT_EQ(back.signature.inputs.size(), 2u);
  ASSERT_EQ(back.signature.outputs.size(), 7u);
  EXPECT_EQ(back.signature.outputs[0].name, "sum");
  EXPECT_TRUE(back.sample_inputs.empty());
}

TEST(Pt2Writer, TheSameProgramsGiveTheSameBytesUnderAnyPath) {
  const ExportedProgram program = read_ok(program_path("views"));
  const std::string a = write_ok(test_path("a.pt2"), {&program});
  const std::string b = write_ok(test_path("other_name.pt2"), {&program});
  EXPECT_EQ(read_bytes(a), read_bytes(b));
}

TEST(Pt2Writer, ProgramsShareTheirPayloads) {
  const ExportedProgram training = read_ok(program_path("views"));
  ExportedProgram core = read_ok(program_path("views_core"));
  core.name = "core";
  const std::string path = write_ok(test_path("shared.pt2"), {&training, &core});
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  size_t payloads = 0;
  for (const ArchiveEntry& entry : (*archive)->entries()) {
    payloads += entry.name.starts_with("data/weights/weight_");
  }
  // conv weight and bias, embedding (tied with head), big (two slices), transposed, expanded,
  // empty.
  EXPECT_EQ(payloads, 7u);
  const auto names = list_programs(**archive);
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names, testing::ElementsAre("model", "core"));
  const auto back = read_program(*archive, "core");
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  expect_same_constants(core.graph, back->graph);
}

TEST(Pt2Writer, StoragesWithEqualBytesButAnotherDtypeStayApart) {
  ExportedProgram program = from_text("zeros", R"(graph(%x: f32[2]) {
  %f = constant f32[2] {0, 0}
  %i = constant i32[2] {0, 0}
  %g = constant f32[2] {0, 0}
  %a: f32[2] = aten.add.Tensor(%x, %f)
  %b: f32[2] = aten.add.Tensor(%a, %i)
  %c: f32[2] = aten.add.Tensor(%b, %g)
  return (%c)
}
)");
  const auto archive = Archive::open(write_ok(test_path("zeros.pt2"), {&program}));
  ASSERT_TRUE(archive.ok());
  EXPECT_NE((*archive)->find("data/constants/tensor_1"), nullptr);
  EXPECT_EQ((*archive)->find("data/constants/tensor_2"), nullptr);
}

TEST(Pt2Writer, ExtraTextsAreKept) {
  const ExportedProgram program = read_ok(program_path("duplicates"));
  const std::string path = test_path("extra.pt2");
  auto writer = Pt2Writer::create(path);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->add_program(program).ok());
  ASSERT_TRUE((*writer)->add_extra("manifest.json", "{}").ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ((*archive)->read_text("extra/manifest.json").value(), "{}");
}

TEST(Pt2Writer, ADuplicateProgramNameIsRefused) {
  const ExportedProgram program = read_ok(program_path("duplicates"));
  auto writer = Pt2Writer::create(test_path("a.pt2"));
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->add_program(program).ok());
  const Status status = (*writer)->add_program(program);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("\"model\""));
}

TEST(Pt2Writer, AnInputOutsideTheSignatureIsNamed) {
  ExportedProgram program = read_ok(program_path("duplicates"));
  program.signature.inputs.pop_back();
  auto writer = Pt2Writer::create(test_path("a.pt2"));
  ASSERT_TRUE(writer.ok());
  const Status status = (*writer)->add_program(program);
  EXPECT_EQ(status.code(), StatusCode::kInvalidProgram);
  EXPECT_THAT(status.message(), HasSubstr("input text"));
}

TEST(Pt2Writer, AFolderThatDoesNotExistIsAnIoErrorNamingThePath) {
  const auto writer = Pt2Writer::create("/nowhere/a.pt2");
  EXPECT_EQ(writer.status().code(), StatusCode::kIo);
  EXPECT_THAT(writer.status().message(), HasSubstr("/nowhere/a.pt2"));
}

}  // namespace
}  // namespace changeaware
