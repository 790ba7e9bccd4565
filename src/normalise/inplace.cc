#include "normalise/inplace.h"

#include <algorithm>
#include <string>

#include "base/errors.h"

namespace changeaware {
namespace {

using Emitter = Result<ValueId> (*)(Rewriter&, const InplaceCall&);

const Argument& argument_of(const InplaceCall& call, std::string_view name) {
  return call.args[static_cast<size_t>(call.node.op->arg_index(name))];
}

Value temporary_result(const Rewriter& rewriter, const InplaceCall& call, DType dtype) {
  TensorSpec spec = call.result.spec;
  spec.dtype = dtype;
  return rewriter.temporary(call.result.name + "_pure", std::move(spec));
}

// `source` with the target's dtype and sizes.
Result<ValueId> broadcast_to_target(Rewriter& rewriter, const InplaceCall& call, ValueId source) {
  const DType dtype = call.result.spec.dtype;
  const bool same_sizes = rewriter.spec(source).dims == call.result.spec.dims;
  if (rewriter.spec(source).dtype != dtype) {
    Value value = call.result;
    if (!same_sizes) {
      TensorSpec spec = rewriter.spec(source);
      spec.dtype = dtype;
      value = rewriter.temporary(call.result.name + "_cast", std::move(spec));
    }
    CA_ASSIGN_OR_RETURN(
        source, rewriter.emit("aten.to.dtype", {{"self", ValueRef{source}}, {"dtype", dtype}},
                              std::move(value)));
  }
  if (same_sizes) return source;
  CA_ASSIGN_OR_RETURN(Argument sizes, rewriter.sizes_of(call.target));
  return rewriter.emit("aten.expand.default",
                       {{"self", ValueRef{source}}, {"size", std::move(sizes)}}, call.result);
}

Result<ValueId> emit_copy(Rewriter& rewriter, const InplaceCall& call) {
  const auto* source = std::get_if<ValueRef>(&argument_of(call, "src"));
  if (source == nullptr) return invalid_program("node '{}': src is no tensor", call.node.name);
  return broadcast_to_target(rewriter, call, source->id);
}

Result<ValueId> emit_full(Rewriter& rewriter, const InplaceCall& call, Argument fill) {
  CA_ASSIGN_OR_RETURN(Argument sizes, rewriter.sizes_of(call.target));
  return rewriter.emit("aten.full.default",
                       {{"size", std::move(sizes)},
                        {"fill_value", std::move(fill)},
                        {"dtype", call.result.spec.dtype}},
                       call.result);
}

Result<ValueId> emit_fill(Rewriter& rewriter, const InplaceCall& call) {
  const Argument& value = argument_of(call, "value");
  if (const auto* tensor = std::get_if<ValueRef>(&value);
      tensor != nullptr && rewriter.to().value(tensor->id).kind == ValueKind::kTensor) {
    return broadcast_to_target(rewriter, call, tensor->id);
  }
  return emit_full(rewriter, call, value);
}

Result<ValueId> emit_zero(Rewriter& rewriter, const InplaceCall& call) {
  return emit_full(rewriter, call, int64_t{0});
}

// The value on the main diagonal's places; the definition for more than two dimensions is not known
// here.
Result<ValueId> emit_fill_diagonal(Rewriter& rewriter, const InplaceCall& call) {
  const TensorSpec& spec = call.result.spec;
  const auto* wrap = std::get_if<bool>(&argument_of(call, "wrap"));
  if (!spec.fixed() || spec.dims.size() != 2 || wrap == nullptr || *wrap) {
    return unsupported("node '{}': {} is only known for two fixed dimensions without wrap",
                       call.node.name, call.node.op->name);
  }
  const int64_t length = std::min(spec.dims[0].size, spec.dims[1].size);
  TensorSpec diagonal;
  diagonal.dtype = spec.dtype;
  diagonal.dims = {Dim{length, ""}};
  CA_ASSIGN_OR_RETURN(const ValueId fill,
                      rewriter.emit("aten.full.default",
                                    {{"size", std::vector<int64_t>{length}},
                                     {"fill_value", argument_of(call, "fill_value")},
                                     {"dtype", spec.dtype}},
                                    rewriter.temporary(call.result.name + "_fill", diagonal)));
  return rewriter.emit("aten.diagonal_scatter.default",
                       {{"self", ValueRef{call.target}}, {"src", ValueRef{fill}}}, call.result);
}

struct Special {
  std::string_view name;
  Emitter emitter;
};
constexpr Special kSpecial[] = {
    {"aten.copy_.default", emit_copy},
    {"aten.fill_.Scalar", emit_fill},
    {"aten.fill_.Tensor", emit_fill},
    {"aten.zero_.default", emit_zero},
    {"aten.fill_diagonal_.default", emit_fill_diagonal},
};

// Pure counterparts under another overload.
constexpr std::pair<std::string_view, std::string_view> kCounterparts[] = {
    {"aten.float_power_.Scalar", "aten.float_power.Tensor_Scalar"},
    {"aten.float_power_.Tensor", "aten.float_power.Tensor_Tensor"},
    {"aten.floor_divide_.Tensor", "aten.floor_divide.default"},
    {"aten.ldexp_.default", "aten.ldexp.Tensor"},
    {"aten.pow_.Scalar", "aten.pow.Tensor_Scalar"},
    {"aten.pow_.Tensor", "aten.pow.Tensor_Tensor"},
    {"aten.transpose_.default", "aten.transpose.int"},
};

// Python's in-place operators.
constexpr std::pair<std::string_view, std::string_view> kBaseNames[] = {
    {"__iand__", "__and__"},       {"__ior__", "__or__"},         {"__ixor__", "__xor__"},
    {"__ilshift__", "__lshift__"}, {"__irshift__", "__rshift__"},
};

// Operators that change sizes and strides only.
constexpr std::string_view kMetadata[] = {
    "detach_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "t_", "transpose_",
};

// Comparisons and logic give bool, whatever they are given.
constexpr std::string_view kBoolResults[] = {
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "less",
    "less_equal",
    "greater",
    "not_equal",
    "greater_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
};

// Operators whose result has the dtype of their first argument, whatever the others have.
constexpr std::string_view kSelfResults[] = {
    "index_add",   "index_copy",     "index_fill", "index_put", "index_reduce",
    "masked_fill", "masked_scatter", "put",        "renorm",    "scatter",
    "scatter_add", "scatter_reduce", "tril",       "triu",
};

template <class Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

std::string_view pure_base_name(std::string_view base) {
  for (const auto& [inplace, pure] : kBaseNames) {
    if (base == inplace) return pure;
  }
  return base.ends_with('_') ? base.substr(0, base.size() - 1) : std::string_view();
}

bool same_arguments(const OpSchema& a, const OpSchema& b) {
  return std::equal(
      a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
      [](const ArgSchema& x, const ArgSchema& y) { return x.name == y.name && x.type == y.type; });
}

const OpSchema* find_counterpart(const OpSchema& op) {
  for (const auto& [inplace, pure] : kCounterparts) {
    if (op.name == inplace) return find_op(pure);
  }
  const std::string_view base = pure_base_name(op.base_name());
  return base.empty() ? nullptr : find_op(fmt::format("{}.{}.{}", op.ns(), base, op.overload()));
}

const OpSchema* pure_counterpart(const OpSchema& op) {
  const OpSchema* pure = find_counterpart(op);
  if (pure == nullptr || pure->mutates() || pure->returns.size() != 1 ||
      pure->returns[0].type != ArgType::kTensor || !same_arguments(op, *pure)) {
    return nullptr;
  }
  return pure;
}

// The dtype that the pure operator computes before the result is stored into the target.
std::optional<DType> computed_dtype(Rewriter& rewriter, const InplaceCall& call,
                                    const OpSchema& pure) {
  if (contains(kBoolResults, pure.base_name())) return DType::kBool;
  if (contains(kSelfResults, pure.base_name())) return call.result.spec.dtype;
  std::vector<PromotionOperand> operands;
  for (const Argument& argument : call.args) {
    for_each_value(argument, [&](ValueId id) {
      if (rewriter.to().value(id).kind != ValueKind::kTensor) return;
      operands.push_back({rewriter.spec(id).dtype, rewriter.spec(id).dims.empty()});
    });
  }
  return promote(operands);
}

// Scans widen integers unless they are told the dtype.
void pin_scan_dtype(Node& node, DType dtype) {
  if (node.op->base_name() != "cumsum" && node.op->base_name() != "cumprod") return;
  Argument& given = node.args[static_cast<size_t>(node.op->arg_index("dtype"))];
  if (is_none(given)) given = dtype;
}

}  // namespace

Result<size_t> mutated_argument(const Node& node) {
  std::optional<size_t> found;
  for (size_t i = 0; i < node.op->args.size(); ++i) {
    const ArgSchema& a = node.op->args[i];
    if (!a.mutated) continue;
    if (a.keyword_only || a.name == "out") {
      return unsupported("node '{}': {} writes to its argument {}", node.name, node.op->name,
                         a.name);
    }
    if (found || !std::holds_alternative<ValueRef>(node.args[i])) {
      return unsupported("node '{}': {} changes several tensors in place", node.name,
                         node.op->name);
    }
    found = i;
  }
  return found.value_or(0);
}

const OpSchema* metadata_counterpart(const Node& node) {
  if (node.op->ns() != "aten" || !contains(kMetadata, node.op->base_name())) return nullptr;
  return pure_counterpart(*node.op);
}

Result<ValueId> emit_pure(Rewriter& rewriter, const InplaceCall& call) {
  for (const Special& special : kSpecial) {
    if (special.name == call.node.op->name) return special.emitter(rewriter, call);
  }
  const OpSchema* pure = pure_counterpart(*call.node.op);
  if (pure == nullptr) {
    return unsupported("node '{}': {} works in place and has no known pure counterpart",
                       call.node.name, call.node.op->name);
  }
  const auto computed = computed_dtype(rewriter, call, *pure);
  if (!computed) {
    return unsupported("node '{}': the dtype that {} computes in is not known for these arguments",
                       call.node.name, call.node.op->name);
  }
  Node node{pure, call.args, {}, call.node.name};
  pin_scan_dtype(node, call.result.spec.dtype);
  const bool casts = *computed != call.result.spec.dtype && pure->arg_index("dtype") < 0;
  Value value = casts ? temporary_result(rewriter, call, *computed) : call.result;
  const ValueId id = rewriter.to().add_value(std::move(value));
  node.outputs = {id};
  rewriter.to().add_node(std::move(node));
  if (!casts) return id;
  return rewriter.emit("aten.to.dtype", {{"self", ValueRef{id}}, {"dtype", call.result.spec.dtype}},
                       call.result);
}

}  // namespace changeaware
