#include <array>
#include <type_traits>
#include <utility>

#include "base/errors.h"
#include "pt2/argument_reader.h"

namespace changeaware {
namespace {

// Nothing when the argument does not fit.
using Fitted = std::optional<Argument>;
using Fit = Fitted (*)(const Argument&, const ArgSchema&, const Graph&);

template <class T>
const T* get(const Argument& argument) {
  return std::get_if<T>(&argument);
}

bool is_number(const Argument& argument) {
  return get<bool>(argument) || get<int64_t>(argument) || get<double>(argument);
}

bool is_value(const Argument& argument, const Graph& graph, ValueKind kind) {
  const auto* ref = get<ValueRef>(argument);
  return ref != nullptr && graph.value(ref->id).kind == kind;
}

bool is_symbolic(const Argument& argument, const Graph& graph) {
  return get<ValueRef>(argument) != nullptr && !is_value(argument, graph, ValueKind::kTensor);
}

}  // namespace

bool is_empty_list(const Argument& argument) {
  return std::visit(
      [](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, TensorList>)
          return a.items.empty();
        else if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                           std::is_same_v<T, std::vector<double>> ||
                           std::is_same_v<T, std::vector<bool>>)
          return a.empty();
        else
          return false;
      },
      argument);
}

namespace {

// PyTorch wraps a number that is given for a tensor; it stays a number here.
Fitted fit_tensor(const Argument& a, const ArgSchema&, const Graph&) {
  return get<ValueRef>(a) || is_number(a) ? Fitted(a) : std::nullopt;
}

Fitted fit_tensor_list(const Argument& a, const ArgSchema&, const Graph&) {
  if (get<TensorList>(a)) return a;
  return is_empty_list(a) ? Fitted(TensorList{}) : std::nullopt;
}

Fitted fit_int(const Argument& a, const ArgSchema&, const Graph& graph) {
  if (const bool* flag = get<bool>(a)) return Argument(static_cast<int64_t>(*flag));
  return get<int64_t>(a) || is_symbolic(a, graph) ? Fitted(a) : std::nullopt;
}

Fitted fit_int_list(const Argument& a, const ArgSchema& schema, const Graph& graph) {
  if (get<std::vector<int64_t>>(a) || get<SymIntList>(a)) return a;
  if (is_empty_list(a)) return Argument(std::vector<int64_t>{});
  if (schema.list_size == 0) return std::nullopt;
  const auto count = static_cast<size_t>(schema.list_size);
  if (const auto* one = get<int64_t>(a)) return Argument(std::vector<int64_t>(count, *one));
  if (!is_symbolic(a, graph)) return std::nullopt;
  SymIntList list;
  list.items.assign(count, std::get<ValueRef>(a));
  return Argument(std::move(list));
}

Fitted fit_float(const Argument& a, const ArgSchema&, const Graph& graph) {
  return is_number(a) || is_symbolic(a, graph) ? Fitted(a) : std::nullopt;
}

std::vector<double> to_doubles(const std::vector<int64_t>& ints) {
  return {ints.begin(), ints.end()};
}

Fitted fit_float_list(const Argument& a, const ArgSchema& schema, const Graph&) {
  if (get<std::vector<double>>(a)) return a;
  if (const auto* ints = get<std::vector<int64_t>>(a)) return Argument(to_doubles(*ints));
  if (is_empty_list(a)) return Argument(std::vector<double>{});
  const auto* one = get<double>(a);
  if (schema.list_size == 0 || one == nullptr) return std::nullopt;
  return Argument(std::vector<double>(static_cast<size_t>(schema.list_size), *one));
}

Fitted fit_bool(const Argument& a, const ArgSchema&, const Graph& graph) {
  if (const auto* number = get<int64_t>(a); number && (*number == 0 || *number == 1)) {
    return Argument(*number == 1);
  }
  return get<bool>(a) || is_symbolic(a, graph) ? Fitted(a) : std::nullopt;
}

Fitted fit_bool_list(const Argument& a, const ArgSchema&, const Graph&) {
  if (get<std::vector<bool>>(a)) return a;
  return is_empty_list(a) ? Fitted(std::vector<bool>{}) : std::nullopt;
}

Fitted fit_scalar(const Argument& a, const ArgSchema&, const Graph&) {
  return is_number(a) || get<ValueRef>(a) ? Fitted(a) : std::nullopt;
}

Fitted fit_scalar_list(const Argument& a, const ArgSchema&, const Graph&) {
  const bool fits = get<std::vector<int64_t>>(a) || get<std::vector<double>>(a) ||
                    get<std::vector<bool>>(a) || get<SymIntList>(a);
  if (is_empty_list(a)) return Argument(std::vector<double>{});
  return fits ? Fitted(a) : std::nullopt;
}

Fitted fit_other_list(const Argument& a, const ArgSchema&, const Graph&) {
  return is_empty_list(a) ? Fitted(TensorList{}) : std::nullopt;
}

template <class T>
Fitted fit_exactly(const Argument& a, const ArgSchema&, const Graph&) {
  return get<T>(a) ? Fitted(a) : std::nullopt;
}

Fitted fit_nothing(const Argument&, const ArgSchema&, const Graph&) { return std::nullopt; }

struct TypeFit {
  ArgType type;
  std::string_view wanted;
  Fit fit;
};

constexpr TypeFit kFits[] = {
    {ArgType::kTensor, "a tensor or number", fit_tensor},
    {ArgType::kTensorList, "a list of tensors", fit_tensor_list},
    {ArgType::kInt, "an integer", fit_int},
    {ArgType::kIntList, "a list of integers", fit_int_list},
    {ArgType::kFloat, "a number", fit_float},
    {ArgType::kFloatList, "a list of numbers", fit_float_list},
    {ArgType::kBool, "a boolean", fit_bool},
    {ArgType::kBoolList, "a list of booleans", fit_bool_list},
    {ArgType::kScalar, "a number", fit_scalar},
    {ArgType::kScalarList, "a list of numbers", fit_scalar_list},
    {ArgType::kString, "a string", fit_exactly<std::string>},
    {ArgType::kScalarType, "a dtype", fit_exactly<DType>},
    {ArgType::kLayout, "a layout", fit_exactly<Layout>},
    {ArgType::kMemoryFormat, "a memory format", fit_exactly<MemoryFormat>},
    {ArgType::kDevice, "a device", fit_exactly<Device>},
    {ArgType::kGraph, "a graph", fit_exactly<std::shared_ptr<const Graph>>},
    {ArgType::kOtherList, "an empty list", fit_other_list},
    {ArgType::kOther, "nothing", fit_nothing},
};

}  // namespace

std::string_view argument_kind(const Argument& argument) {
  static constexpr std::array<std::string_view, std::variant_size_v<Argument>> kKinds = {
      "None",
      "a boolean",
      "an integer",
      "a float",
      "a string",
      "a dtype",
      "a memory format",
      "a layout",
      "a device",
      "a value",
      "a list of tensors",
      "a list of integers",
      "a list of floats",
      "a list of booleans",
      "a list of symbolic integers",
      "a graph"};
  return kKinds[argument.index()];
}

Result<Argument> fit_argument(const Argument& argument, const ArgSchema& schema,
                              const Graph& graph) {
  if (get<None>(argument) && (schema.optional || schema.type == ArgType::kOther)) return argument;
  for (const TypeFit& entry : kFits) {
    if (entry.type != schema.type) continue;
    if (Fitted fitted = entry.fit(argument, schema, graph)) return std::move(*fitted);
    return invalid_program("argument {} is {}; the operator wants {}", schema.name,
                           argument_kind(argument), entry.wanted);
  }
  return internal_error("argument {} has an unknown type", schema.name);
}

}  // namespace changeaware
