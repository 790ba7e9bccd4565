#include "pt2/unknown_operators.h"

#include <set>

#include "base/errors.h"
#include "base/json.h"
#include "graph/op_schema.h"
#include "pt2/graph_reader.h"
#include "pt2/reader.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 32;

Status collect(const JsonView& graph, int depth, std::set<std::string>& names);

Status collect_nested(const JsonView& node, int depth, std::set<std::string>& names) {
  CA_ASSIGN_OR_RETURN(const JsonView inputs_view, node.get("inputs"));
  CA_ASSIGN_OR_RETURN(const auto inputs, inputs_view.elements());
  for (const JsonView& input : inputs) {
    const auto argument = input.find("arg");
    const auto nested = argument ? argument->find("as_graph") : std::nullopt;
    if (!nested) continue;
    CA_ASSIGN_OR_RETURN(const JsonView graph, nested->get("graph"));
    CA_RETURN_IF_ERROR(collect(graph, depth + 1, names));
  }
  return {};
}

Status collect(const JsonView& graph, int depth, std::set<std::string>& names) {
  if (depth > kMaxDepth) return graph.error("graphs nested too deep");
  CA_ASSIGN_OR_RETURN(const JsonView nodes_view, graph.get("nodes"));
  CA_ASSIGN_OR_RETURN(const auto nodes, nodes_view.elements());
  for (const JsonView& node : nodes) {
    CA_ASSIGN_OR_RETURN(const JsonView target_view, node.get("target"));
    CA_ASSIGN_OR_RETURN(const std::string_view target, target_view.as_string());
    const std::string name(GraphReader::op_name(target));
    if (find_op(name) == nullptr) names.insert(name);
    CA_RETURN_IF_ERROR(collect_nested(node, depth, names));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> unknown_operators(const Archive& archive) {
  CA_ASSIGN_OR_RETURN(const std::vector<std::string> programs, list_programs(archive));
  std::set<std::string> names;
  for (const std::string& program : programs) {
    const std::string entry = fmt::format("models/{}.json", program);
    CA_ASSIGN_OR_RETURN(const std::string text, archive.read_text(entry));
    CA_ASSIGN_OR_RETURN(const auto document, JsonDocument::parse(text, entry));
    CA_ASSIGN_OR_RETURN(const JsonView module, document->root().get("graph_module"));
    CA_ASSIGN_OR_RETURN(const JsonView graph, module.get("graph"));
    CA_RETURN_IF_ERROR(collect(graph, 0, names));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Status register_operators(const Archive& archive, const SchemaSource& schema_of) {
  CA_ASSIGN_OR_RETURN(const auto names, unknown_operators(archive));
  for (const std::string& name : names) {
    CA_ASSIGN_OR_RETURN(const std::string schema, schema_of(name));
    if (!schema.empty()) CA_RETURN_IF_ERROR(register_op(name, schema));
  }
  return {};
}

}  // namespace changeaware
