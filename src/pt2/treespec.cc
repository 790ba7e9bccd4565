#include "pt2/treespec.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/errors.h"
#include "base/json.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 100;

// A JSON list of `count` strings or numbers as texts; empty when it is something else.
std::vector<std::string> names_of(const JsonView& list, size_t count) {
  std::vector<std::string> names;
  const auto elements = list.elements();
  if (!elements.ok() || elements->size() != count) return {};
  for (const JsonView& element : *elements) {
    if (element.is_string()) {
      names.emplace_back(element.as_string().value());
    } else if (element.is_int()) {
      names.push_back(std::to_string(element.as_int().value()));
    } else {
      return {};
    }
  }
  return names;
}

// The context of dictionaries is the list of keys, of data classes a list that starts with the list
// of fields, of named tuples their registered name.
std::vector<std::string> child_keys(const TreeSpec& spec, const NamedTupleFields& named_tuples) {
  const size_t count = spec.children.size();
  if (const auto known = named_tuples.find(spec.context);
      known != named_tuples.end() && known->second.size() == count) {
    return known->second;
  }
  const auto document = JsonDocument::parse(spec.context, "context");
  if (!document.ok() || !(*document)->root().is_array()) return {};
  std::vector<std::string> names = names_of((*document)->root(), count);
  if (!names.empty()) return names;
  const auto elements = (*document)->root().elements();
  if (elements.ok() && !elements->empty() && elements->front().is_array()) {
    return names_of(elements->front(), count);
  }
  return {};
}

Result<TreeSpec> parse_node(const JsonView& node, const NamedTupleFields& named_tuples, int depth) {
  if (depth > kMaxDepth) return node.error("nested too deeply");
  TreeSpec spec;
  if (const auto type = node.find("type")) {
    CA_ASSIGN_OR_RETURN(spec.type, type->as_string());
  }
  if (const auto context = node.find("context"); context && context->is_string()) {
    CA_ASSIGN_OR_RETURN(spec.context, context->as_string());
  }
  CA_ASSIGN_OR_RETURN(const JsonView children, node.get("children_spec"));
  CA_ASSIGN_OR_RETURN(const auto elements, children.elements());
  for (const JsonView& child : elements) {
    CA_ASSIGN_OR_RETURN(TreeSpec parsed, parse_node(child, named_tuples, depth + 1));
    spec.children.push_back(std::move(parsed));
  }
  if (spec.is_leaf() && !spec.children.empty()) return node.error("a leaf with children");
  if (!spec.is_leaf()) spec.keys = child_keys(spec, named_tuples);
  return spec;
}

bool is_sequence(const TreeSpec& spec) {
  return spec.type == "builtins.tuple" || spec.type == "builtins.list";
}

void collect_paths(const TreeSpec& spec, const std::string& path, std::vector<std::string>& out) {
  if (spec.is_leaf()) {
    out.push_back(path);
    return;
  }
  for (size_t i = 0; i < spec.children.size(); ++i) {
    const std::string key = i < spec.keys.size() ? spec.keys[i] : std::to_string(i);
    collect_paths(spec.children[i], path.empty() ? key : path + "." + key, out);
  }
}

void write_leaves(JsonWriter& json, size_t count) {
  json.key("children_spec").begin_array();
  for (size_t i = 0; i < count; ++i) {
    json.begin_object().key("type").null().key("context").null();
    json.key("children_spec").begin_array().end_array().end_object();
  }
  json.end_array();
}

}  // namespace

size_t TreeSpec::leaf_count() const {
  if (is_leaf()) return 1;
  size_t count = 0;
  for (const TreeSpec& child : children) count += child.leaf_count();
  return count;
}

Result<TreeSpec> parse_treespec(std::string_view text, const std::string& what,
                                const NamedTupleFields& named_tuples) {
  CA_ASSIGN_OR_RETURN(const auto document, JsonDocument::parse(text, what));
  CA_ASSIGN_OR_RETURN(const auto elements, document->root().elements());
  if (elements.size() != 2) return document->root().error("expected [protocol, tree]");
  CA_ASSIGN_OR_RETURN(const int64_t protocol, elements[0].as_int());
  if (protocol != 1) return unsupported("{}: tree spec protocol {}; 1 is accepted", what, protocol);
  return parse_node(elements[1], named_tuples, 0);
}

std::vector<std::string> leaf_paths(const TreeSpec& spec) {
  const bool flat = is_sequence(spec) && std::all_of(spec.children.begin(), spec.children.end(),
                                                     std::mem_fn(&TreeSpec::is_leaf));
  if (spec.is_leaf() || flat) return std::vector<std::string>(spec.leaf_count());
  std::vector<std::string> out;
  collect_paths(spec, "", out);
  return out;
}

std::string flat_in_spec(size_t inputs) {
  JsonWriter json;
  json.begin_array().value(1).begin_object();
  json.field("type", "builtins.tuple").field("context", "null").key("children_spec").begin_array();
  json.begin_object().field("type", "builtins.tuple").field("context", "null");
  write_leaves(json, inputs);
  json.end_object();
  json.begin_object().field("type", "builtins.dict").field("context", "[]");
  write_leaves(json, 0);
  json.end_object().end_array().end_object().end_array();
  return json.take();
}

std::string flat_out_spec(size_t outputs) {
  JsonWriter json;
  json.begin_array().value(1).begin_object();
  json.field("type", "builtins.tuple").field("context", "null");
  write_leaves(json, outputs);
  json.end_object().end_array();
  return json.take();
}

}  // namespace changeaware
