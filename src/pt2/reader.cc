#include "pt2/reader.h"

#include <utility>

#include "base/errors.h"
#include "base/json.h"
#include "graph/verifier.h"
#include "pt2/archive_kind.h"
#include "pt2/graph_reader.h"
#include "pt2/meta_reader.h"
#include "pt2/payloads.h"
#include "pt2/sample_inputs.h"
#include "pt2/signature_reader.h"

namespace changeaware {
namespace {

constexpr int64_t kSchemaMajor = 8;
constexpr std::string_view kModelsPrefix = "models/";
constexpr std::string_view kJsonSuffix = ".json";

Status read_versions(const JsonView& root, ExportedProgram& program) {
  CA_ASSIGN_OR_RETURN(const JsonView version, root.get("schema_version"));
  CA_ASSIGN_OR_RETURN(const JsonView major_view, version.get("major"));
  CA_ASSIGN_OR_RETURN(const int64_t major, major_view.as_int());
  CA_ASSIGN_OR_RETURN(const JsonView minor_view, version.get("minor"));
  CA_ASSIGN_OR_RETURN(const int64_t minor, minor_view.as_int());
  if (const auto torch = root.find("torch_version")) {
    CA_ASSIGN_OR_RETURN(program.torch_version, torch->as_string());
  }
  if (major != kSchemaMajor) {
    return at(version, unsupported("schema version {}.{} (written by PyTorch {}); {}.x is accepted",
                                   major, minor, program.torch_version, kSchemaMajor));
  }
  program.schema_major = static_cast<int>(major);
  program.schema_minor = static_cast<int>(minor);
  return {};
}

Result<std::optional<int64_t>> read_bound(const JsonView& range, std::string_view key) {
  const auto bound = range.find(key);
  if (!bound) return std::optional<int64_t>();
  CA_ASSIGN_OR_RETURN(const int64_t value, bound->as_int());
  return std::optional<int64_t>(value);
}

// torch.export writes that sizes of 0 and 1 were not traced as a lower bound of up to 2, also where
// nobody gave one; its modules run with such sizes.
constexpr int64_t kLowestCheckedBound = 3;

Status read_ranges(const JsonView& root, Graph& graph) {
  CA_ASSIGN_OR_RETURN(const JsonView ranges, root.get("range_constraints"));
  CA_ASSIGN_OR_RETURN(const auto members, ranges.members());
  for (const auto& member : members) {
    SymbolRange range;
    CA_ASSIGN_OR_RETURN(range.min, read_bound(member.second, "min_val"));
    CA_ASSIGN_OR_RETURN(range.max, read_bound(member.second, "max_val"));
    if (range.min && *range.min > 0 && *range.min < kLowestCheckedBound) range.min = 0;
    graph.set_symbol(std::string(member.first), range);
  }
  return {};
}

Status read_named_tuples(const JsonView& module, ExportedProgram& program) {
  const auto fields = module.find("treespec_namedtuple_fields");
  if (!fields) return {};
  CA_ASSIGN_OR_RETURN(const auto members, fields->members());
  for (const auto& member : members) {
    CA_ASSIGN_OR_RETURN(const JsonView names_view, member.second.get("field_names"));
    CA_ASSIGN_OR_RETURN(const auto names, names_view.elements());
    auto& out = program.named_tuples[std::string(member.first)];
    for (const JsonView& name : names) {
      CA_ASSIGN_OR_RETURN(const std::string_view text, name.as_string());
      out.emplace_back(text);
    }
  }
  return {};
}

// The graph with its constants, inputs, nodes and outputs.
Status read_module(const JsonView& module, const Payloads& payloads, ExportedProgram& program) {
  CA_ASSIGN_OR_RETURN(const JsonView graph_view, module.get("graph"));
  CA_ASSIGN_OR_RETURN(const JsonView signature, module.get("signature"));
  CA_ASSIGN_OR_RETURN(const JsonView input_specs, signature.get("input_specs"));
  CA_ASSIGN_OR_RETURN(const JsonView output_specs, signature.get("output_specs"));
  CA_ASSIGN_OR_RETURN(GraphReader reader, GraphReader::create(graph_view, 0));
  CA_ASSIGN_OR_RETURN(const std::vector<Argument> inputs, reader.define_inputs());
  program.graph = std::move(reader.graph());
  CA_RETURN_IF_ERROR(read_input_specs(input_specs, inputs, payloads, program));
  reader.graph() = std::move(program.graph);
  CA_RETURN_IF_ERROR(reader.read_nodes());
  CA_RETURN_IF_ERROR(reader.read_outputs());
  program.graph = std::move(reader.graph());
  return check_output_specs(output_specs, program.graph);
}

Status read_model(const std::shared_ptr<const Archive>& archive, const ReadOptions& options,
                  ExportedProgram& program) {
  const std::string entry = fmt::format("{}{}{}", kModelsPrefix, program.name, kJsonSuffix);
  CA_ASSIGN_OR_RETURN(const std::string text, archive->read_text(entry));
  CA_ASSIGN_OR_RETURN(const auto document, JsonDocument::parse(text, entry));
  const JsonView root = document->root();
  CA_RETURN_IF_ERROR(read_versions(root, program));
  CA_ASSIGN_OR_RETURN(const JsonView module, root.get("graph_module"));
  CA_RETURN_IF_ERROR(read_named_tuples(module, program));
  CA_ASSIGN_OR_RETURN(const Payloads payloads,
                      Payloads::read(archive, program.name, options.verify_payloads));
  CA_RETURN_IF_ERROR(read_module(module, payloads, program));
  CA_RETURN_IF_ERROR(read_ranges(root, program.graph));
  CA_ASSIGN_OR_RETURN(const JsonView call_graph, module.get("module_call_graph"));
  CA_RETURN_IF_ERROR(read_call_signature(call_graph, program));
  return verify(program.graph);
}

std::string path_context(const Archive& archive, const Status& status) {
  // Archive's own messages start with the path already.
  return status.message().starts_with(archive.path()) ? "" : archive.path();
}

Status in_archive(const Archive& archive, const Status& status) {
  const std::string context = path_context(archive, status);
  return context.empty() ? status : status.with_context(context);
}

}  // namespace

Result<std::vector<std::string>> list_programs(const Archive& archive) {
  std::vector<std::string> names;
  for (const ArchiveEntry& entry : archive.entries()) {
    if (!entry.name.starts_with(kModelsPrefix) || !entry.name.ends_with(kJsonSuffix)) continue;
    names.push_back(entry.name.substr(
        kModelsPrefix.size(), entry.name.size() - kModelsPrefix.size() - kJsonSuffix.size()));
  }
  if (names.empty()) {
    return unsupported("{}: it is {}; an archive that torch.export.save wrote is accepted",
                       archive.path(), describe_archive(archive));
  }
  CA_RETURN_IF_ERROR(check_archive_format(archive));
  return names;
}

Result<ExportedProgram> read_program(std::shared_ptr<const Archive> archive,
                                     const std::string& name, const ReadOptions& options) {
  ExportedProgram program;
  program.name = name;
  const Status status = read_model(archive, options, program);
  if (!status.ok()) return in_archive(*archive, status);
  if (options.sample_inputs) CA_RETURN_IF_ERROR(read_sample_inputs(archive, program));
  return program;
}

Result<ExportedProgram> read_pt2(const std::string& path) {
  CA_ASSIGN_OR_RETURN(const std::shared_ptr<const Archive> archive, Archive::open(path));
  CA_ASSIGN_OR_RETURN(const std::vector<std::string> names, list_programs(*archive));
  if (names.size() != 1) {
    return invalid_argument("{}: it has {} programs ({}); one is expected", path, names.size(),
                            fmt::join(names, ", "));
  }
  return read_program(archive, names.front(), {.verify_payloads = true});
}

}  // namespace changeaware
