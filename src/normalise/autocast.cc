#include "normalise/autocast.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
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
constexpr std::array<std::string_view, 6> kNamespaces = {"aten", "prims",     "quantized_decomposed",
                                                         "math", "_operator", "torch"};

Policy policy_of(const OpSchema& op) {
  const auto* found = std::lower_bound(
      std::begin(kTable), std::end(kTable), op.name,
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
  const Policy policy = policy_of(*node.op);
  if (policy == kParts) {
    return unsupported(
        "node '{}': what autocast does inside {} is not known; export the model without autocast, "
        "or decompose it (run_decompositions), which writes the casts out",
        node.name, node.op->name);
  }
  CA_ASSIGN_OR_RETURN(const auto target, target_of(policy, rewriter.to(), node, lower, args));
  if (!target) return {};
  CA_RETURN_IF_ERROR(cast_all(rewriter, *target, args));
  return check_results(node, *target, results);
}

}  // namespace changeaware
