#include "pt2/argument_writer.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "pt2/codes.h"

namespace changeaware {
namespace {

struct ArgumentVisitor {
  JsonWriter& json;
  const Graph& graph;
  const GraphWriter& write_nested;

  Status operator()(const None&) const {
    json.field("as_none", true);
    return {};
  }
  Status operator()(bool value) const {
    json.field("as_bool", value);
    return {};
  }
  Status operator()(int64_t value) const {
    json.field("as_int", value);
    return {};
  }
  Status operator()(double value) const {
    json.field("as_float", value);
    return {};
  }
  Status operator()(const std::string& value) const {
    json.field("as_string", value);
    return {};
  }
  Status operator()(DType value) const {
    json.field("as_scalar_type", code_of(value));
    return {};
  }
  Status operator()(MemoryFormat value) const {
    json.field("as_memory_format", code_of(value));
    return {};
  }
  Status operator()(Layout value) const {
    if (value != Layout::kStrided) return unsupported("a layout that is not strided");
    json.field("as_layout", kStridedCode);
    return {};
  }
  Status operator()(const Device& value) const {
    json.key("as_device").begin_object().field("type", value.type).key("index").null().end_object();
    return {};
  }
  Status operator()(const ValueRef& value) const;
  Status operator()(const TensorList& list) const;
  Status operator()(const std::vector<int64_t>& list) const {
    json.list("as_ints", list);
    return {};
  }
  Status operator()(const std::vector<double>& list) const {
    json.list("as_floats", list);
    return {};
  }
  Status operator()(const std::vector<bool>& list) const;
  Status operator()(const SymIntList& list) const;
  Status operator()(const std::shared_ptr<const Graph>& nested) const;
};

struct RefKind {
  std::string_view kind;
  std::string_view field;
};
// By ValueKind.
constexpr std::array<RefKind, 4> kRefKinds = {{{"as_tensor", "name"},
                                               {"as_sym_int", "as_name"},
                                               {"as_sym_float", "as_name"},
                                               {"as_sym_bool", "as_name"}}};

void write_ref_member(JsonWriter& json, const Value& value) {
  const RefKind& ref = kRefKinds[static_cast<size_t>(value.kind)];
  json.key(ref.kind).begin_object().field(ref.field, value.name).end_object();
}

Status ArgumentVisitor::operator()(const ValueRef& value) const {
  write_ref_member(json, graph.value(value.id));
  return {};
}

Status ArgumentVisitor::operator()(const TensorList& list) const {
  const bool all = std::all_of(list.items.begin(), list.items.end(),
                               [](const auto& item) { return item.has_value(); });
  json.key(all ? "as_tensors" : "as_optional_tensors").begin_array();
  for (const auto& item : list.items) {
    json.begin_object();
    if (all) {
      json.field("name", graph.value(*item).name);
    } else if (item) {
      write_ref_member(json, graph.value(*item));
    } else {
      json.field("as_none", true);
    }
    json.end_object();
  }
  json.end_array();
  return {};
}

Status ArgumentVisitor::operator()(const std::vector<bool>& list) const {
  json.key("as_bools").begin_array();
  for (const bool item : list) json.value(item);
  json.end_array();
  return {};
}

Status ArgumentVisitor::operator()(const SymIntList& list) const {
  json.key("as_sym_ints").begin_array();
  for (const auto& item : list.items) {
    json.begin_object();
    if (const auto* ref = std::get_if<ValueRef>(&item)) {
      json.field("as_name", graph.value(ref->id).name);
    } else {
      json.field("as_int", std::get<int64_t>(item));
    }
    json.end_object();
  }
  json.end_array();
  return {};
}

Status ArgumentVisitor::operator()(const std::shared_ptr<const Graph>& nested) const {
  json.key("as_graph");
  return write_nested(json, *nested);
}

}  // namespace

Status write_argument(JsonWriter& json, const Argument& argument, const Graph& graph,
                      const GraphWriter& write_nested) {
  json.begin_object();
  CA_RETURN_IF_ERROR(std::visit(ArgumentVisitor{json, graph, write_nested}, argument));
  json.end_object();
  return {};
}

void write_value_ref(JsonWriter& json, const Value& value) {
  json.begin_object();
  write_ref_member(json, value);
  json.end_object();
}

}  // namespace changeaware
