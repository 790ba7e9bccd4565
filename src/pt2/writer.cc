#include "pt2/writer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "archive/archive_writer.h"
#include "base/digest.h"
#include "base/errors.h"
#include "base/json.h"
#include "pt2/argument_writer.h"
#include "pt2/graph_writer.h"
#include "pt2/payload_writer.h"
#include "pt2/pickle_writer.h"
#include "pt2/treespec.h"

namespace changeaware {
namespace {

// Of torch/_export/serde/schema.py and the operator set, PyTorch 2.13.
constexpr int kSchemaMajor = 8;
constexpr int kSchemaMinor = 20;
constexpr int kAtenOpset = 10;
constexpr const char* kTorchVersion = "2.13.0";
// The name of the top folder that PyTorch uses; the file's own name must not enter the bytes.
constexpr const char* kTopFolder = "package";

std::vector<Argument> user_inputs(const ExportedProgram& program) {
  std::vector<Argument> out;
  for (const InputSpec& input : program.signature.inputs) out.push_back(input.value);
  if (!out.empty()) return out;
  for (const ValueId id : program.graph.inputs()) out.push_back(ValueRef{id});
  return out;
}

// Every input of the graph must be in the signature, or a caller could not give it.
Status check_inputs(const ExportedProgram& program, const std::vector<Argument>& inputs) {
  for (const ValueId id : program.graph.inputs()) {
    if (std::find(inputs.begin(), inputs.end(), Argument(ValueRef{id})) == inputs.end()) {
      return invalid_program("input {} is not in the signature", program.graph.value(id).name);
    }
  }
  return {};
}

void write_named_arg(JsonWriter& json, const std::string& name) {
  json.key("arg").begin_object().field("name", name).end_object();
}

void write_constant_spec(JsonWriter& json, const Graph& graph, const Constant& constant) {
  const std::string& name = graph.value(constant.value).name;
  json.begin_object();
  switch (constant.kind) {
    case ConstantKind::kParameter:
      json.key("parameter").begin_object();
      write_named_arg(json, name);
      json.field("parameter_name", constant.fqn);
      break;
    case ConstantKind::kBuffer:
    case ConstantKind::kNonPersistentBuffer:
      json.key("buffer").begin_object();
      write_named_arg(json, name);
      json.field("buffer_name", constant.fqn);
      json.field("persistent", constant.kind == ConstantKind::kBuffer);
      break;
    case ConstantKind::kLifted:
      json.key("tensor_constant").begin_object();
      write_named_arg(json, name);
      json.field("tensor_constant_name", constant.fqn);
      break;
  }
  json.end_object().end_object();
}

Status write_user_input(JsonWriter& json, const ExportedProgram& program, size_t index,
                        const Argument& value) {
  const bool fixed = !std::holds_alternative<ValueRef>(value);
  json.begin_object().key(fixed ? "constant_input" : "user_input").begin_object();
  if (fixed) json.field("name", program.signature.inputs[index].name);
  json.key(fixed ? "value" : "arg");
  CA_RETURN_IF_ERROR(write_argument(json, value, program.graph, {}));
  json.end_object().end_object();
  return {};
}

Status write_signature(JsonWriter& json, const ExportedProgram& program,
                       const std::vector<Argument>& inputs) {
  json.begin_object().key("input_specs").begin_array();
  for (const Constant* c : ordered_constants(program.graph)) {
    write_constant_spec(json, program.graph, *c);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    CA_RETURN_IF_ERROR(write_user_input(json, program, i, inputs[i]));
  }
  json.end_array().key("output_specs").begin_array();
  for (const Argument& output : program.graph.outputs()) {
    json.begin_object().key("user_output").begin_object().key("arg");
    CA_RETURN_IF_ERROR(write_argument(json, output, program.graph, {}));
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return {};
}

std::string in_spec_of(const ExportedProgram& program, size_t inputs) {
  return program.signature.in_spec.empty() ? flat_in_spec(inputs) : program.signature.in_spec;
}

void write_call_graph(JsonWriter& json, const ExportedProgram& program, size_t inputs) {
  const Signature& signature = program.signature;
  json.begin_array().begin_object().field("fqn", "").key("signature").begin_object();
  json.key("inputs").begin_array().end_array().key("outputs").begin_array().end_array();
  json.field("in_spec", in_spec_of(program, inputs));
  json.field("out_spec", signature.out_spec.empty() ? flat_out_spec(program.graph.outputs().size())
                                                    : signature.out_spec);
  if (signature.forward_arg_names.empty()) {
    json.key("forward_arg_names").null();
  } else {
    json.list("forward_arg_names", signature.forward_arg_names);
  }
  json.end_object().end_object().end_array();
}

void write_ranges(JsonWriter& json, const Graph& graph) {
  const auto bound = [&](std::string_view key, const std::optional<int64_t>& value) {
    json.key(key);
    if (value) {
      json.value(*value);
    } else {
      json.null();
    }
  };
  json.key("range_constraints").begin_object();
  for (const auto& [symbol, range] : graph.symbols()) {
    json.key(symbol).begin_object();
    bound("min_val", range.min);
    bound("max_val", range.max);
    json.end_object();
  }
  json.end_object();
}

void write_named_tuples(JsonWriter& json, const ExportedProgram& program) {
  json.key("treespec_namedtuple_fields").begin_object();
  for (const auto& [type, fields] : program.named_tuples) {
    json.key(type).begin_object().list("field_names", fields).end_object();
  }
  json.end_object();
}

Result<std::string> model_json(const ExportedProgram& program,
                               const std::vector<Argument>& inputs) {
  JsonWriter json;
  json.begin_object().key("graph_module").begin_object().key("graph");
  CA_RETURN_IF_ERROR(ProgramGraphWriter().write_program(json, program.graph, inputs));
  json.key("signature");
  CA_RETURN_IF_ERROR(write_signature(json, program, inputs));
  json.key("module_call_graph");
  write_call_graph(json, program, inputs.size());
  json.key("metadata").begin_object().end_object();
  write_named_tuples(json, program);
  json.end_object();
  json.key("opset_version").begin_object().field("aten", kAtenOpset).end_object();
  write_ranges(json, program.graph);
  json.key("schema_version").begin_object();
  json.field("major", kSchemaMajor).field("minor", kSchemaMinor).end_object();
  json.key("verifiers").begin_array().value("TRAINING").end_array();
  json.field("torch_version",
             program.torch_version.empty() ? kTorchVersion : program.torch_version.c_str());
  json.key("guards_code").begin_array().end_array().end_object();
  return json.take();
}

// The leaf of a symbolic number, which samples hold as a tensor of rank 0.
SampleLeaf number_leaf(const Tensor& tensor) {
  SampleLeaf leaf;
  if (tensor.dtype() == DType::kInt64) leaf.constant = *tensor.data_as<int64_t>();
  if (tensor.dtype() == DType::kFloat64) leaf.constant = *tensor.data_as<double>();
  if (tensor.dtype() == DType::kBool) leaf.constant = *tensor.data_as<uint8_t>() != 0;
  return leaf;
}

// Empty where there are none, or where they cannot be written: they are only an example.
Result<std::string> sample_bytes(const ExportedProgram& program,
                                 const std::vector<Argument>& inputs) {
  const Graph& graph = program.graph;
  if (program.sample_inputs.empty()) return std::string();
  if (program.sample_inputs.size() != graph.inputs().size()) {
    return invalid_argument("{} sample inputs for {} inputs", program.sample_inputs.size(),
                            graph.inputs().size());
  }
  CA_ASSIGN_OR_RETURN(const TreeSpec spec, parse_treespec(in_spec_of(program, inputs.size()),
                                                          "in_spec", program.named_tuples));
  std::vector<SampleLeaf> leaves;
  for (const Argument& input : inputs) {
    const auto* ref = std::get_if<ValueRef>(&input);
    if (ref == nullptr) {
      leaves.push_back({{}, input});
      continue;
    }
    const auto it = std::find(graph.inputs().begin(), graph.inputs().end(), ref->id);
    const Tensor& tensor = program.sample_inputs[static_cast<size_t>(it - graph.inputs().begin())];
    const bool is_tensor = graph.value(ref->id).kind == ValueKind::kTensor;
    leaves.push_back(is_tensor ? SampleLeaf{tensor, None{}} : number_leaf(tensor));
  }
  auto bytes = write_sample_archive(spec, leaves);
  if (bytes.status().code() == StatusCode::kUnsupported) return std::string();
  return bytes;
}

class Writer : public Pt2Writer {
 public:
  explicit Writer(std::unique_ptr<ArchiveWriter> archive)
      : archive_(std::move(archive)), payloads_(archive_.get()) {}

  Status begin() {
    CA_RETURN_IF_ERROR(archive_->add("archive_format", "pt2"));
    CA_RETURN_IF_ERROR(archive_->add("archive_version", "0"));
    CA_RETURN_IF_ERROR(archive_->add("byteorder", "little"));
    return archive_->add(".data/version", "6\n");
  }

  Status add_program(const ExportedProgram& program) override {
    if (!names_.insert(program.name).second || program.name.empty()) {
      return invalid_argument("program \"{}\" is added twice or has no name", program.name);
    }
    const Status status = write_program(program);
    return status.ok() ? status : status.with_context(fmt::format("program {}", program.name));
  }

  Status add_extra(const std::string& name, std::string_view bytes) override {
    identity_.update(std::as_bytes(std::span(bytes.data(), bytes.size())));
    return archive_->add("extra/" + name, bytes);
  }

  Status finish() override {
    for (const Digest& digest : payloads_.digests()) identity_.update(digest);
    CA_RETURN_IF_ERROR(
        archive_->add(".data/serialization_id", serialization_id(identity_.finish())));
    return archive_->finish();
  }

 private:
  Status write_program(const ExportedProgram& program) {
    const std::vector<Argument> inputs = user_inputs(program);
    CA_RETURN_IF_ERROR(check_inputs(program, inputs));
    CA_ASSIGN_OR_RETURN(const std::string model, model_json(program, inputs));
    CA_ASSIGN_OR_RETURN(const std::string samples, sample_bytes(program, inputs));
    CA_RETURN_IF_ERROR(payloads_.add_program(program.name, program.graph.constants()));
    CA_RETURN_IF_ERROR(archive_->add("models/" + program.name + ".json", model));
    identity_.update(std::as_bytes(std::span(model.data(), model.size())));
    return archive_->add("data/sample_inputs/" + program.name + ".pt", samples);
  }

  // 40 decimal digits, as PyTorch writes; here they depend on the content alone.
  static std::string serialization_id(const Digest& digest) {
    std::string digits;
    for (const char c : to_hex(digest).substr(0, 40)) {
      digits += static_cast<char>(c >= 'a' ? '0' + (c - 'a') : c);
    }
    return digits;
  }

  std::unique_ptr<ArchiveWriter> archive_;
  PayloadWriter payloads_;
  Sha256 identity_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::unique_ptr<Pt2Writer>> Pt2Writer::create(const std::string& path) {
  CA_ASSIGN_OR_RETURN(std::unique_ptr<ArchiveWriter> archive,
                      ArchiveWriter::create(path, kTopFolder));
  auto writer = std::make_unique<Writer>(std::move(archive));
  CA_RETURN_IF_ERROR(writer->begin());
  return std::unique_ptr<Pt2Writer>(std::move(writer));
}

}  // namespace changeaware
