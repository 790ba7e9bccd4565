#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "pt2/reader.h"
#include "pt2/test_programs.h"

namespace changeaware {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kModel = "models/model.json";
const std::string kWeights = "data/weights/model_weights_config.json";

// Reads a copy of program `name` in which `from` became `to` in one entry.
Status read_edited(const std::string& name, const std::string& entry, const std::string& from,
                   const std::string& to) {
  return read_archive(edited_copy(program_path(name), replace_in(entry, from, to))).status();
}

void expect_error(const Status& status, StatusCode code, const std::vector<std::string>& parts) {
  EXPECT_EQ(status.code(), code) << status.to_string();
  for (const std::string& part : parts) EXPECT_THAT(status.message(), HasSubstr(part));
}

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  const std::string path = test_path("a.pt2");
  auto writer = ArchiveWriter::create(path, "top");
  EXPECT_TRUE(writer.ok());
  for (const auto& [name, text] : entries) EXPECT_TRUE((*writer)->add(name, text).ok());
  EXPECT_TRUE((*writer)->finish().ok());
  return path;
}

TEST(Pt2ReaderErrors, OtherKindsOfArchivesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"constants.pkl", "TorchScript"},
      {"code/__torch__.py", "TorchScript"},
      {"data/aotinductor/model/x.so", "AOTInductor"},
      {"serialized_exported_program.json", "2.7"},
      {"data.pkl", "torch.save"},
      {"notes.txt", "notes.txt"}};
  for (const auto& [entry, meaning] : cases) {
    const Status status = read_pt2(archive_of({{entry, "x"}})).status();
    expect_error(status, StatusCode::kUnsupported, {meaning, entry, "torch.export.save"});
  }
}

TEST(Pt2ReaderErrors, AnotherSchemaMajorIsRefusedWithBothVersions) {
  const Status status = read_edited("duplicates", kModel, "\"major\": 8", "\"major\": 9");
  expect_error(status, StatusCode::kUnsupported, {"9.20", "8.x", "schema_version"});
}

TEST(Pt2ReaderErrors, EveryMinorOfTheMajorIsAccepted) {
  EXPECT_TRUE(read_edited("duplicates", kModel, "\"minor\": 20", "\"minor\": 99").ok());
}

TEST(Pt2ReaderErrors, AnotherArchiveVersionOrByteOrderIsRefused) {
  expect_error(read_edited("duplicates", "archive_version", "0", "7"), StatusCode::kUnsupported,
               {"archive_version", "\"7\"", "\"0\""});
  expect_error(read_edited("duplicates", "byteorder", "little", "big"), StatusCode::kUnsupported,
               {"byteorder", "big"});
}

TEST(Pt2ReaderErrors, JsonOfTheWrongShapeNamesEntryAndPlace) {
  expect_error(read_edited("duplicates", kModel, "{", "["), StatusCode::kCorrupt, {kModel});
  expect_error(read_edited("duplicates", kModel, "\"nodes\": [", "\"nodez\": ["),
               StatusCode::kCorrupt, {kModel, "graph_module.graph", "nodes"});
  expect_error(read_edited("duplicates", kModel, "{\"as_tensor\": {\"name\": \"image\"}}",
                           "{\"as_tensor\": 3}"),
               StatusCode::kCorrupt, {kModel, "graph_module.graph.inputs[1]"});
}

TEST(Pt2ReaderErrors, AnUnknownOperatorIsNamedWithItsNode) {
  const Status status =
      read_edited("duplicates", kModel, "torch.ops.aten.relu.default", "torch.ops.my.relu.default");
  expect_error(status, StatusCode::kUnsupported,
               {"node 'relu'", "operator 'my.relu.default' is not PyTorch's", "--op-library"});
}

TEST(Pt2ReaderErrors, AnArgumentThatTheOperatorDoesNotHaveIsNamed) {
  const Status status =
      read_edited("duplicates", kModel, "{\"name\": \"other\"", "{\"name\": \"speed\"");
  expect_error(status, StatusCode::kInvalidProgram, {"aten.mul.Tensor", "no argument speed"});
}

TEST(Pt2ReaderErrors, ARequiredArgumentThatIsMissingIsNamed) {
  const Status status = read_edited("duplicates", kModel,
                                    "{\"name\": \"other\", \"arg\": {\"as_int\": 2}, \"kind\": 1}",
                                    "{\"name\": \"self\", \"arg\": {\"as_int\": 2}, \"kind\": 1}");
  expect_error(status, StatusCode::kInvalidProgram, {"aten.mul.Tensor", "self", "twice"});
  const Status missing = read_edited(
      "duplicates", kModel, ", {\"name\": \"other\", \"arg\": {\"as_int\": 2}, \"kind\": 1}", "");
  expect_error(missing, StatusCode::kInvalidProgram,
               {"aten.mul.Tensor", "argument other is missing"});
}

TEST(Pt2ReaderErrors, AnArgumentOfTheWrongKindIsNamed) {
  const Status status =
      read_edited("operators", kModel, "{\"as_string\": \"tanh\"}", "{\"as_int\": 1}");
  expect_error(status, StatusCode::kInvalidProgram,
               {"aten.gelu.default", "approximate", "an integer", "a string"});
  const Status complex = read_edited("operators", kModel, "{\"as_string\": \"tanh\"}",
                                     "{\"as_complex\": {\"real\": 1, \"imag\": 2}}");
  expect_error(complex, StatusCode::kUnsupported, {"aten.gelu.default", "as_complex"});
}

TEST(Pt2ReaderErrors, AValueThatIsReadBeforeItsDefinitionIsNamed) {
  const Status status =
      read_edited("duplicates", kModel,
                  "\"inputs\": [{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"image\"",
                  "\"inputs\": [{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"relu\"");
  expect_error(status, StatusCode::kInvalidProgram, {"value relu", "before"});
}

TEST(Pt2ReaderErrors, StateThatTheProgramWritesIsNamed) {
  expect_error(read_pt2(program_path("writes_buffer_core")).status(), StatusCode::kUnsupported,
               {"writes its buffer state"});
  expect_error(read_pt2(program_path("writes_input_core")).status(), StatusCode::kUnsupported,
               {"writes its input x"});
}

TEST(Pt2ReaderErrors, AMissingPayloadIsNamedWithItsWeight) {
  const auto copy =
      edited_copy(program_path("kwargs_order"),
                  [](const std::string& name, std::string text) -> std::optional<std::string> {
                    if (name == "data/weights/weight_2") return std::nullopt;
                    return text;
                  });
  expect_error(read_archive(copy).status(), StatusCode::kCorrupt,
               {"linear2.weight", "data/weights/weight_2", "missing"});
}

TEST(Pt2ReaderErrors, APayloadThatIsTooShortIsNamedWithItsWeight) {
  const auto copy =
      edited_copy(program_path("kwargs_order"),
                  [](const std::string& name, std::string text) -> std::optional<std::string> {
                    return name == "data/weights/weight_2" ? text.substr(4) : text;
                  });
  expect_error(read_archive(copy).status(), StatusCode::kCorrupt,
               {"linear2.weight", "data/weights/weight_2", "20 bytes"});
}

TEST(Pt2ReaderErrors, APayloadOfAnotherDtypeOrShapeThanTheGraphSaysIsNamed) {
  expect_error(read_edited("kwargs_order", kWeights, "\"dtype\": 7", "\"dtype\": 4"),
               StatusCode::kCorrupt, {"linear1.weight", "int32", "float32"});
  expect_error(read_edited("kwargs_order", kWeights, "{\"as_int\": 3}, {\"as_int\": 2}",
                           "{\"as_int\": 2}, {\"as_int\": 2}"),
               StatusCode::kCorrupt, {"linear1.weight", "[2, 2]", "[3, 2]"});
}

TEST(Pt2ReaderErrors, APickledPayloadIsRefusedByName) {
  expect_error(
      read_edited("kwargs_order", kWeights, "\"use_pickle\": false", "\"use_pickle\": true"),
      StatusCode::kUnsupported, {"linear1.weight", "data/weights/weight_0", "pickled"});
}

TEST(Pt2ReaderErrors, AWeightThatNoConfigNamesIsNamed) {
  expect_error(read_edited("kwargs_order", kWeights, "\"linear1.weight\"", "\"linear9.weight\""),
               StatusCode::kCorrupt, {"linear1.weight"});
}

TEST(Pt2ReaderErrors, AFlippedPayloadBitIsFoundWhenPayloadsAreVerified) {
  const std::string path = test_path("flipped.pt2");
  std::ifstream in(program_path("kwargs_order"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto original = Archive::open(program_path("kwargs_order"));
  ASSERT_TRUE(original.ok());
  bytes[(*original)->find("data/weights/weight_1")->offset] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  const auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok());
  const auto program =
      read_program(*archive, "model", {.sample_inputs = true, .verify_payloads = true});
  expect_error(program.status(), StatusCode::kCorrupt, {"data/weights/weight_1", "CRC"});
}

TEST(Pt2ReaderErrors, ATreeSpecThatDoesNotFitTheProgramIsNamed) {
  const Status status =
      read_edited("duplicates", kModel, R"(\"context\": \"null\", \"children_spec\": [{)",
                  R"(\"context\": \"null\", \"children_spec\": 3, \"old\": [{)");
  expect_error(status, StatusCode::kCorrupt, {"in_spec"});
}

TEST(Pt2ReaderErrors, SamplesOfUnknownClassesLeaveANote) {
  const auto copy =
      edited_copy(program_path("duplicates"),
                  [](const std::string& name, std::string text) -> std::optional<std::string> {
                    if (name != "data/sample_inputs/model.pt") return text;
                    const auto writer = ArchiveWriter::create_in_memory("archive");
                    EXPECT_TRUE((*writer)
                                    ->add("data.pkl",
                                          "\x80\x02"
                                          "cmy\nThing\n)R.")
                                    .ok());
                    return (*writer)->take().value();
                  });
  const auto program = read_archive(copy);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_TRUE(program->sample_inputs.empty());
  EXPECT_THAT(program->sample_inputs_note,
              AllOf(HasSubstr("my.Thing"), HasSubstr("data/sample_inputs/model.pt")));
}

TEST(Pt2ReaderErrors, DamagedSamplesAreCorruptNamingTheEntry) {
  const auto copy = edited_copy(
      program_path("duplicates"),
      [](const std::string& name, std::string text) -> std::optional<std::string> {
        return name == "data/sample_inputs/model.pt" ? text.substr(0, text.size() / 2) : text;
      });
  expect_error(read_archive(copy).status(), StatusCode::kCorrupt, {"data/sample_inputs/model.pt"});
}

TEST(Pt2ReaderErrors, SeveralProgramsNeedAName) {
  const std::string path = archive_of({{"models/a.json", "{}"}, {"models/b.json", "{}"}});
  expect_error(read_pt2(path).status(), StatusCode::kInvalidArgument, {"2 programs", "a, b"});
}

// Flips bytes of the JSON texts, with right CRCs, so that only the reader stands in the way.
TEST(Pt2ReaderErrors, NoFlippedByteOfTheJsonCrashes) {
  for (const std::string& name : {std::string("no_grad"), std::string("dynamic")}) {
    const auto archive = Archive::open(program_path(name));
    ASSERT_TRUE(archive.ok());
    const std::string model = (*archive)->read_text(kModel).value();
    int refused = 0;
    for (size_t at = 0; at < model.size(); at += 7) {
      const auto copy = edited_copy(
          program_path(name),
          [&](const std::string& entry, std::string text) -> std::optional<std::string> {
            if (entry == kModel) text[at] = static_cast<char>(text[at] ^ (1 << (at % 7)));
            return text;
          });
      const auto program = read_archive(copy);
      if (program.ok()) continue;
      ++refused;
      EXPECT_THAT(program.status().message(), HasSubstr("edited.pt2")) << at;
    }
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace changeaware
