#include "pt2/argument_reader.h"

#include <utility>

#include "base/errors.h"
#include "pt2/codes.h"
#include "pt2/meta_reader.h"

namespace changeaware {
namespace {

using Reader = Result<Argument> (*)(const JsonView&, const ArgumentScope&);

Result<ValueId> resolve(const JsonView& name_view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const std::string_view name, name_view.as_string());
  const ValueId id = scope.find_value(name);
  if (id == kNoId) {
    return at(name_view, invalid_program("value {} is read before anything defines it", name));
  }
  return id;
}

Result<ValueId> resolve_field(const JsonView& view, std::string_view key,
                              const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const JsonView name, view.get(key));
  return resolve(name, scope);
}

// Every element of a list through `read`.
template <class T, class Read>
Result<std::vector<T>> read_list(const JsonView& view, Read&& read) {
  CA_ASSIGN_OR_RETURN(const auto elements, view.elements());
  std::vector<T> out;
  out.reserve(elements.size());
  for (const JsonView& element : elements) {
    CA_ASSIGN_OR_RETURN(auto item, read(element));
    out.push_back(std::move(item));
  }
  return out;
}

Result<Argument> read_none(const JsonView&, const ArgumentScope&) { return Argument(None{}); }

Result<Argument> read_tensor(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const ValueId id, resolve_field(view, "name", scope));
  return Argument(ValueRef{id});
}

Result<Argument> read_tensors(const JsonView& view, const ArgumentScope& scope) {
  const auto read = [&](const JsonView& item) -> Result<std::optional<ValueId>> {
    CA_ASSIGN_OR_RETURN(const ValueId id, resolve_field(item, "name", scope));
    return std::optional<ValueId>(id);
  };
  CA_ASSIGN_OR_RETURN(auto items, read_list<std::optional<ValueId>>(view, read));
  return Argument(TensorList{std::move(items)});
}

Result<std::optional<ValueId>> read_optional(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  if (member.first == "as_none") return std::optional<ValueId>();
  if (member.first != "as_tensor") return view.error(fmt::format("unknown kind {}", member.first));
  CA_ASSIGN_OR_RETURN(const ValueId id, resolve_field(member.second, "name", scope));
  return std::optional<ValueId>(id);
}

Result<Argument> read_optional_tensors(const JsonView& view, const ArgumentScope& scope) {
  const auto read = [&](const JsonView& item) { return read_optional(item, scope); };
  CA_ASSIGN_OR_RETURN(auto items, read_list<std::optional<ValueId>>(view, read));
  return Argument(TensorList{std::move(items)});
}

Result<Argument> read_optional_tensor(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const std::optional<ValueId> id, read_optional(view, scope));
  return id ? Argument(ValueRef{*id}) : Argument(None{});
}

Result<Argument> read_int(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const int64_t value, view.as_int());
  return Argument(value);
}

Result<Argument> read_float(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const double value, view.as_double());
  return Argument(value);
}

Result<Argument> read_bool(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const bool value, view.as_bool());
  return Argument(value);
}

Result<Argument> read_string(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const std::string_view value, view.as_string());
  return Argument(std::string(value));
}

Result<Argument> read_ints(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(auto values,
                      read_list<int64_t>(view, [](const JsonView& v) { return v.as_int(); }));
  return Argument(std::move(values));
}

Result<Argument> read_floats(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(auto values,
                      read_list<double>(view, [](const JsonView& v) { return v.as_double(); }));
  return Argument(std::move(values));
}

Result<Argument> read_bools(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(auto values,
                      read_list<bool>(view, [](const JsonView& v) { return v.as_bool(); }));
  return Argument(std::move(values));
}

// {"as_name": "s"} or the plain number that `Plain` reads.
template <Reader Plain>
Result<Argument> read_symbolic(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  if (member.first != "as_name") return Plain(member.second, scope);
  CA_ASSIGN_OR_RETURN(const ValueId id, resolve(member.second, scope));
  return Argument(ValueRef{id});
}

Result<Argument> read_sym_ints(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const auto elements, view.elements());
  SymIntList out;
  bool all_fixed = true;
  for (const JsonView& element : elements) {
    CA_ASSIGN_OR_RETURN(const Argument item, read_symbolic<read_int>(element, scope));
    if (const auto* ref = std::get_if<ValueRef>(&item)) {
      out.items.emplace_back(*ref);
      all_fixed = false;
    } else {
      out.items.emplace_back(std::get<int64_t>(item));
    }
  }
  if (!all_fixed) return Argument(std::move(out));
  std::vector<int64_t> fixed;
  for (const auto& item : out.items) fixed.push_back(std::get<int64_t>(item));
  return Argument(std::move(fixed));
}

// Plain numbers alone, in elements that could be symbolic.
template <class T, Reader Plain>
Result<Argument> read_fixed_list(const JsonView& view, const ArgumentScope& scope) {
  const auto read = [&](const JsonView& element) -> Result<T> {
    CA_ASSIGN_OR_RETURN(const Argument item, read_symbolic<Plain>(element, scope));
    if (const auto* number = std::get_if<T>(&item)) return *number;
    return at(element, unsupported("a list with a float or boolean that is computed at run time"));
  };
  CA_ASSIGN_OR_RETURN(auto items, read_list<T>(view, read));
  return Argument(std::move(items));
}

// Lists that no operator here reads, so that only the empty one is known.
Result<Argument> read_other_list(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const auto elements, view.elements());
  if (!elements.empty()) return at(view, unsupported("a list of this kind that is not empty"));
  return Argument(TensorList{});
}

Result<Argument> read_scalar_type(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const int64_t code, view.as_int());
  const auto dtype = dtype_from_code(code);
  if (!dtype.ok()) return at(view, dtype.status());
  return Argument(*dtype);
}

Result<Argument> read_memory_format(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const int64_t code, view.as_int());
  const auto format = memory_format_from_code(code);
  if (!format.ok()) return at(view, format.status());
  return Argument(*format);
}

Result<Argument> read_layout(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const int64_t code, view.as_int());
  const auto layout = layout_from_code(code);
  if (!layout.ok()) return at(view, layout.status());
  return Argument(*layout);
}

Result<Argument> read_device(const JsonView& view, const ArgumentScope&) {
  CA_ASSIGN_OR_RETURN(const JsonView type_view, view.get("type"));
  CA_ASSIGN_OR_RETURN(const std::string_view type, type_view.as_string());
  return Argument(Device{std::string(type)});
}

Result<Argument> read_graph(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const JsonView graph_view, view.get("graph"));
  CA_ASSIGN_OR_RETURN(Graph graph, scope.read_graph(graph_view));
  return Argument(std::shared_ptr<const Graph>(std::make_shared<Graph>(std::move(graph))));
}

struct KindReader {
  std::string_view kind;
  Reader read;
};

constexpr KindReader kReaders[] = {
    {"as_none", read_none},
    {"as_tensor", read_tensor},
    {"as_tensors", read_tensors},
    {"as_optional_tensor", read_optional_tensor},
    {"as_optional_tensors", read_optional_tensors},
    {"as_int", read_int},
    {"as_ints", read_ints},
    {"as_float", read_float},
    {"as_floats", read_floats},
    {"as_bool", read_bool},
    {"as_bools", read_bools},
    {"as_string", read_string},
    {"as_sym_int", read_symbolic<read_int>},
    {"as_sym_ints", read_sym_ints},
    {"as_sym_float", read_symbolic<read_float>},
    {"as_sym_floats", read_fixed_list<double, read_float>},
    {"as_sym_bool", read_symbolic<read_bool>},
    {"as_sym_bools", read_fixed_list<bool, read_bool>},
    {"as_strings", read_other_list},
    {"as_int_lists", read_other_list},
    {"as_float_lists", read_other_list},
    {"as_nested_tensors", read_other_list},
    {"as_scalar_type", read_scalar_type},
    {"as_memory_format", read_memory_format},
    {"as_layout", read_layout},
    {"as_device", read_device},
    {"as_graph", read_graph},
};

}  // namespace

Result<Argument> read_argument(const JsonView& view, const ArgumentScope& scope) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  for (const KindReader& reader : kReaders) {
    if (reader.kind == member.first) return reader.read(member.second, scope);
  }
  return at(view, unsupported("arguments of the kind {}", member.first));
}

}  // namespace changeaware
