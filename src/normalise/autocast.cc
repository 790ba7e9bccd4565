#include "normalise/autocast.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "graph/control_flow.h"

namespace changeaware {
namespace {

enum class Policy : uint8_t {
  kLower,    // to the dtype of the region
  kFloat32,  // to float32
  kPromote,  // to the widest of the arguments
  kPlain,    // nothing
  kParts,    // by the operators that it is made of
};
using enum Policy;

struct Entry {
  std::string_view op;
  Policy policy;
};
constexpr Entry kTable[] = {
#include "normalise/autocast_table.inc"
};

// Operators of these are PyTorch's own.
constexpr std::array<std::string_view, 6> kNamespaces = {
    "aten", "prims", "quantized_decomposed", "math", "_operator", "torch"};

// pad: by its mode one of the operators of the list, or none of them.
Policy policy_of_pad(const Graph&, const Node& node, const std::vector<Argument>&) {
  const auto* mode = std::get_if<std::string>(&argument(node, "mode"));
  if (mode == nullptr) return kParts;
  if (*mode == "constant" || *mode == "circular") return kPlain;
  const auto* sides = std::get_if<std::vector<int64_t>>(&argument(node, "pad"));
  if (sides == nullptr) return kParts;
  // There is no list that has reflection_pad3d.
  return *mode == "reflect" && sides->size() == 6 ? kPlain : kFloat32;
}

std::array<std::string, 3> split_equation(std::string text) {
  std::erase(text, ' ');
  const size_t comma = text.find(',');
  const size_t arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) return {};
  return {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
}

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// einsum of two operands is one batched product of matrices when every letter is in the result or
// in both operands with a size of more than one, and at least one is not in the result. Otherwise
// it multiplies or sums first, which autocast leaves alone.
Policy policy_of_einsum(const Graph& graph, const Node& node, const std::vector<Argument>& args) {
  const auto* equation = std::get_if<std::string>(&argument(node, "equation"));
  const auto* tensors =
      std::get_if<TensorList>(&args[static_cast<size_t>(node.op->arg_index("tensors"))]);
  if (equation == nullptr || tensors == nullptr || tensors->items.size() != 2) return kParts;
  const auto [left, right, result] = split_equation(*equation);
  if (left.empty() || right.empty() || result.empty() || has(left + right, '.') ||
      has(right, ',')) {
    return kParts;
  }
  bool contracts = false;
  for (const auto& [letters, other, index] :
       {std::tuple(&left, &right, size_t{0}), std::tuple(&right, &left, size_t{1})}) {
    const auto& dims = graph.value(*tensors->items[index]).spec.dims;
    if (dims.size() != letters->size()) return kParts;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (letters->find((*letters)[i]) != i) return kParts;
      if (has(result, (*letters)[i])) continue;
      if (!has(*other, (*letters)[i]) || !dims[i].fixed() || dims[i].size < 2) return kParts;
      contracts = true;
    }
  }
  return contracts ? kLower : kParts;
}

// Composites whose parts are known from their arguments.
struct Rule {
  std::string_view op;
  Policy (*policy)(const Graph& graph, const Node& node, const std::vector<Argument>& args);
};
constexpr Rule kRules[] = {
    {"aten.einsum.default", policy_of_einsum},
    {"aten.pad.default", policy_of_pad},
};

Policy policy_of(const Graph& graph, const Node& node, const std::vector<Argument>& args) {
  const OpSchema& op = *node.op;
  for (const Rule& rule : kRules) {
    if (rule.op == op.name) return rule.policy(graph, node, args);
  }
  const auto* found =
      std::lower_bound(std::begin(kTable), std::end(kTable), op.name,
                       [](const Entry& entry, const std::string& name) { return entry.op < name; });
  if (found != std::end(kTable) && found->op == op.name) return found->policy;
  const bool own = std::find(kNamespaces.begin(), kNamespaces.end(), op.ns()) != kNamespaces.end();
  return own && !op.composite ? kPlain : kParts;
}

// Other dtypes are left alone, float64 among them.
bool is_castable(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

template <class Visit>
void for_each_castable(const Graph& graph, const std::vector<Argument>& args, Visit&& visit) {
  for (const Argument& argument : args) {
    for_each_value(argument, [&](ValueId id) {
      const Value& value = graph.value(id);
      if (value.kind == ValueKind::kTensor && is_castable(value.spec.dtype)) {
        visit(id, value.spec.dtype);
      }
    });
  }
}

// What the castable arguments become; nothing where they stay.
Result<std::optional<DType>> target_of(Policy policy, const Graph& graph, const Node& node,
                                       DType lower, const std::vector<Argument>& args) {
  if (policy == kPlain) return std::optional<DType>();
  if (policy == kLower) return std::optional<DType>(lower);
  if (policy == kFloat32) return std::optional<DType>(DType::kFloat32);
  DType widest = lower;
  bool mixed = false;
  for_each_castable(graph, args, [&](ValueId, DType dtype) {
    if (dtype == DType::kFloat32) widest = DType::kFloat32;
    mixed |= dtype != DType::kFloat32 && dtype != lower;
  });
  if (mixed) {
    return unsupported("node '{}': {} has tensors of both half precisions under autocast to {}",
                       node.name, node.op->name, dtype_name(lower));
  }
  return std::optional<DType>(widest);
}

// Whether the tensor fills its memory without gaps, in whatever order: a cast keeps that order.
bool is_dense(const TensorSpec& spec) {
  if (!spec.fixed() || spec.strides.size() != spec.dims.size()) return false;
  std::vector<std::pair<int64_t, int64_t>> order;  // stride, size
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    if (!spec.strides[i].fixed()) return false;
    if (spec.dims[i].size != 1) order.emplace_back(spec.strides[i].size, spec.dims[i].size);
  }
  std::sort(order.begin(), order.end());
  int64_t expected = 1;
  for (const auto& [stride, size] : order) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

Result<ValueId> cast(Rewriter& rewriter, ValueId id, DType dtype) {
  const Value& from = rewriter.to().value(id);
  Value result = rewriter.temporary(fmt::format("{}_{}", from.name, dtype_name(dtype)), from.spec);
  result.spec.dtype = dtype;
  if (is_dense(from.spec)) result.spec.strides = from.spec.strides;
  return rewriter.emit("aten.to.dtype", {{"self", ValueRef{id}}, {"dtype", dtype}},
                       std::move(result));
}

Status cast_all(Rewriter& rewriter, DType target, std::vector<Argument>& args) {
  std::set<ValueId> wanted;
  for_each_castable(rewriter.to(), args, [&](ValueId id, DType dtype) {
    if (dtype != target) wanted.insert(id);
  });
  for (const ValueId old : wanted) {
    CA_ASSIGN_OR_RETURN(const ValueId now, cast(rewriter, old, target));
    const auto replaced = [old, now](ValueId each) { return each == old ? now : each; };
    for (Argument& argument : args) argument = map_values(argument, replaced);
  }
  return {};
}

// The file has what PyTorch traced under autocast: another dtype means another rule than ours.
Status check_results(const Node& node, DType target, const std::vector<Value>& results) {
  const int dtype = node.op->arg_index("dtype");
  if (dtype >= 0 && !is_none(node.args[static_cast<size_t>(dtype)])) return {};
  for (const Value& result : results) {
    if (result.name.empty() || result.kind != ValueKind::kTensor) continue;
    if (!is_castable(result.spec.dtype) || result.spec.dtype == target) continue;
    return unsupported(
        "node '{}': {} under autocast would give {} for '{}', which the program has as {}",
        node.name, node.op->name, dtype_name(target), result.name, dtype_name(result.spec.dtype));
  }
  return {};
}

}  // namespace

std::optional<DType> autocast_of_region(const Node& region, std::optional<DType> around) {
  const auto* device = std::get_if<std::string>(&argument(region, "device_type"));
  const auto* enabled = std::get_if<bool>(&argument(region, "enabled"));
  if (device == nullptr || *device != "cpu") return around;
  if (enabled != nullptr && !*enabled) return std::nullopt;
  const auto* dtype = std::get_if<DType>(&argument(region, "dtype"));
  if (dtype == nullptr) return DType::kBFloat16;  // PyTorch's default on the CPU
  // PyTorch switches autocast off for any other dtype.
  const bool known = *dtype == DType::kBFloat16 || *dtype == DType::kFloat16;
  return known ? std::optional<DType>(*dtype) : std::nullopt;
}

Status apply_autocast(Rewriter& rewriter, const Node& node, DType lower,
                      const std::vector<Value>& results, std::vector<Argument>& args) {
  const Policy policy = policy_of(rewriter.to(), node, args);
  if (policy == kParts) {
    return unsupported(
        "node '{}': what autocast casts inside {} is not known; export the model with this part "
        "outside of autocast",
        node.name, node.op->name);
  }
  CA_ASSIGN_OR_RETURN(const auto target, target_of(policy, rewriter.to(), node, lower, args));
  if (!target) return {};
  CA_RETURN_IF_ERROR(cast_all(rewriter, *target, args));
  return check_results(node, *target, results);
}

}  // namespace changeaware
