#include "engine/openvino/refusals.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/errors.h"
#include "engine/openvino/translations/nothing.h"

namespace changeaware::ovn {
namespace {

using Condition = bool (*)(const Graph&, const Node&);

const TensorSpec* tensor_argument(const Graph& graph, const Node& node, size_t index) {
  if (index >= node.args.size()) return nullptr;
  const auto* ref = std::get_if<ValueRef>(&node.args[index]);
  if (ref == nullptr || graph.value(ref->id).kind != ValueKind::kTensor) return nullptr;
  return &graph.value(ref->id).spec;
}

const Argument* named(const Node& node, std::string_view name) {
  const int index = node.op->arg_index(name);
  return index < 0 ? nullptr : &node.args[static_cast<size_t>(index)];
}

bool always(const Graph&, const Node&) { return true; }

bool is_integral(const Graph& graph, const Node& node) {
  const TensorSpec* spec = tensor_argument(graph, node, 0);
  return spec != nullptr && !is_floating(spec->dtype);
}

bool is_bool(const Graph& graph, const Node& node) {
  const TensorSpec* spec = tensor_argument(graph, node, 0);
  return spec != nullptr && spec->dtype == DType::kBool;
}

bool is_rank_zero(const Graph& graph, const Node& node) {
  const TensorSpec* spec = tensor_argument(graph, node, 0);
  return spec != nullptr && spec->dims.empty();
}

bool has_padding_index(const Graph&, const Node& node) {
  const Argument* a = named(node, "padding_idx");
  return a != nullptr && std::holds_alternative<int64_t>(*a) && std::get<int64_t>(*a) >= 0;
}

bool has_byte_index(const Graph& graph, const Node& node) {
  bool found = false;
  for_each_value(node.args.at(1),
                 [&](ValueId id) { found |= graph.value(id).spec.dtype == DType::kUInt8; });
  return found;
}

bool one_is_integral(const Graph& graph, const Node& node) {
  const TensorSpec* other = tensor_argument(graph, node, 1);
  return other != nullptr && is_integral(graph, node) == is_floating(other->dtype);
}

// A resize to a smaller size has a translation of its own, between sizes that are known.
bool has_unknown_size(const Graph& graph, const Node& node) {
  const TensorSpec* in = tensor_argument(graph, node, 0);
  if (in == nullptr || node.outputs.at(0) == kNoId) return true;
  const auto& out = graph.value(node.outputs[0]).spec.dims;
  if (in->dims.size() != 4 || out.size() != 4) return true;
  return !(in->dims[2].fixed() && in->dims[3].fixed() && out[2].fixed() && out[3].fixed());
}

bool trains(const Graph&, const Node& node) {
  for (std::string_view name : {"train", "training"}) {
    const Argument* a = named(node, name);
    if (a != nullptr && std::holds_alternative<bool>(*a) && std::get<bool>(*a)) return true;
  }
  return false;
}

struct Refused {
  std::string_view op;
  Condition when;
  std::string_view reason;
};

// Kept in the order of the alphabet.
constexpr std::array kRefused = {
    Refused{"aten.argwhere.default", is_rank_zero,
            "the result of a rank 0 tensor has another shape"},
    Refused{"aten.atan2.default", one_is_integral, "an integer and a float"},
    Refused{"aten.batch_norm.default", trains, "training mode"},
    Refused{"aten.clamp.default", is_bool, "bool operands"},
    Refused{"aten.dropout.default", trains, "training mode"},
    Refused{"aten.embedding_bag.padding_idx", has_padding_index, "padding_idx is not followed"},
    Refused{"aten.gcd.default", always, "reads memory that is not its own"},
    Refused{"aten.index.Tensor", has_byte_index, "uint8 masks"},
    Refused{"aten.index_put.default", has_byte_index, "uint8 masks"},
    Refused{"aten.instance_norm.default", trains, "statistics of the batch are kept as state"},
    Refused{"aten.nonzero.default", is_rank_zero,
            "the result of a rank 0 tensor has another shape"},
    Refused{"aten.unravel_index.default", always, "int64 is computed in 32 bits"},
    Refused{"aten.upsample_bicubic2d.default", has_unknown_size,
            "a bicubic resize of an unknown size"},
    Refused{"aten.upsample_bicubic2d.vec", has_unknown_size, "a bicubic resize of an unknown size"},
    Refused{"aten.view.dtype", always, "reinterprets the bytes"},
    Refused{"aten.vstack.default", is_rank_zero, "the result has another shape"},
};

// Operators that move elements, or change their dtype: safe in half precision, whose arithmetic
// OpenVINO does in float32.
const std::unordered_set<std::string_view>& moving_ops() {
  static const std::unordered_set<std::string_view> set = {
      "view",          "reshape",    "permute", "transpose",    "t",
      "slice",         "select",     "cat",     "concat",       "stack",
      "expand",        "unsqueeze",  "squeeze", "flatten",      "unflatten",
      "clone",         "contiguous", "split",   "chunk",        "unbind",
      "alias",         "detach",     "to",      "_to_copy",     "type_as",
      "narrow",        "movedim",    "repeat",  "tile",         "split_with_sizes",
      "expand_as",     "view_as",    "flip",    "roll",         "lift_fresh_copy",
      "_unsafe_view",  "embedding",  "gather",  "index_select", "select_scatter",
      "slice_scatter", "sym_size",
  };
  return set;
}

// Why tensors of this dtype cannot be had at all; empty = they can.
std::string_view unusable(DType dtype) {
  switch (dtype) {
    case DType::kComplex32:
    case DType::kComplex64:
    case DType::kComplex128: return "complex numbers are not supported by OpenVINO";
    case DType::kFloat64: return "float64 is computed in float32 by OpenVINO";
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64: return "wide unsigned integers are not supported";
    default: return {};
  }
}

// Operators whose results in small integers cannot overflow.
const std::unordered_set<std::string_view>& bounded_ops() {
  static const std::unordered_set<std::string_view> set = {
      "where",           "masked_fill",   "maximum",   "minimum",     "clamp",      "clamp_min",
      "clamp_max",       "full",          "full_like", "zeros",       "zeros_like", "ones",
      "ones_like",       "scalar_tensor", "new_zeros", "new_ones",    "new_full",   "pad",
      "constant_pad_nd", "relu",          "max",       "min",         "amax",       "amin",
      "index",           "topk",          "sort",      "bitwise_and", "bitwise_or", "bitwise_xor",
  };
  return set;
}

bool is_small_integer(DType dtype) {
  return dtype == DType::kUInt8 || dtype == DType::kInt8 || dtype == DType::kInt16;
}

bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// Each of the following gives the reason for which a node is refused; empty = it is not.
std::string refused_dtype(const Value& value, bool moves) {
  if (value.kind == ValueKind::kSymFloat) {
    return fmt::format("'{}' is a symbolic float, which is float64", value.name);
  }
  if (value.kind != ValueKind::kTensor) return {};
  if (const auto reason = unusable(value.spec.dtype); !reason.empty()) {
    return fmt::format("'{}' is {}: {}", value.name, dtype_name(value.spec.dtype), reason);
  }
  if (is_half(value.spec.dtype) && !moves) {
    return fmt::format("'{}' is {}, which is computed in float32 by OpenVINO", value.name,
                       dtype_name(value.spec.dtype));
  }
  return {};
}

// Widening to float32 is exact.
bool narrows_to_half(const Graph& graph, const Node& node, const Value& result) {
  const TensorSpec* from = tensor_argument(graph, node, 0);
  return result.kind == ValueKind::kTensor && is_half(result.spec.dtype) && from != nullptr &&
         from->dtype != result.spec.dtype;
}

std::string refused_dtypes(const Graph& graph, const Node& node) {
  const bool moves = moving_ops().contains(node.op->base_name());
  std::string reason;
  for_each_input(node, [&](ValueId id) {
    if (reason.empty()) reason = refused_dtype(graph.value(id), moves);
  });
  for (ValueId id : node.outputs) {
    if (id == kNoId || !reason.empty()) continue;
    const Value& value = graph.value(id);
    reason = refused_dtype(value, moves);
    if (reason.empty() && narrows_to_half(graph, node, value)) {
      reason = fmt::format("a cast to {} is rounded in another way", dtype_name(value.spec.dtype));
    }
    if (reason.empty() && value.kind == ValueKind::kTensor && is_small_integer(value.spec.dtype) &&
        !moves && !bounded_ops().contains(node.op->base_name())) {
      reason = fmt::format("arithmetic in {}, which saturates in OpenVINO and wraps in PyTorch",
                           dtype_name(value.spec.dtype));
    }
  }
  return reason;
}

bool fits_int32(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
}

// A number that is computed with, rather than a bound of a slice, which is clamped.
std::string refused_number(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < node.args.size(); ++i) {
    // A number may stand for a tensor.
    const ArgType type = node.op->args[i].type;
    if (type != ArgType::kScalar && type != ArgType::kTensor) continue;
    const auto* number = std::get_if<int64_t>(&node.args[i]);
    if (number == nullptr || fits_int32(*number)) continue;
    const bool floating = !node.outputs.empty() && node.outputs[0] != kNoId &&
                          is_floating(graph.value(node.outputs[0]).spec.dtype);
    if (floating) continue;
    return fmt::format("{} = {} is outside int32, in which OpenVINO computes int64",
                       node.op->args[i].name, *number);
  }
  return {};
}

std::string refused_constant(const Graph& graph, const Constant& constant) {
  if (const auto reason = unusable(constant.tensor.dtype()); !reason.empty()) {
    return fmt::format("constant '{}': {}", constant.fqn, reason);
  }
  if (constant.tensor.dtype() != DType::kInt64) return {};
  const Tensor dense = constant.tensor.contiguous();
  const auto* data = dense.data_as<int64_t>();
  const int64_t* end = data + dense.numel();
  const int64_t* wide = std::find_if(data, end, [](int64_t v) { return !fits_int32(v); });
  if (wide == end) return {};
  return fmt::format("constant '{}' ('{}'): {} is outside int32, in which OpenVINO computes int64",
                     constant.fqn, graph.value(constant.value).name, *wide);
}

using RefusalTable = std::unordered_multimap<std::string_view, const Refused*>;

const RefusalTable& refusal_table() {
  static const RefusalTable table = [] {
    RefusalTable t;
    for (const Refused& line : kRefused) t.emplace(line.op, &line);
    return t;
  }();
  return table;
}

std::string refused_by_table(const Graph& graph, const Node& node) {
  const auto [begin, end] = refusal_table().equal_range(node.op->name);
  for (auto it = begin; it != end; ++it) {
    if (it->second->when(graph, node)) return std::string(it->second->reason);
  }
  return {};
}

std::string refused_node(const Graph& graph, const Node& node) {
  if (std::string reason = refused_dtypes(graph, node); !reason.empty()) return reason;
  if (std::string reason = refused_number(graph, node); !reason.empty()) return reason;
  if (makes_nothing(graph, node)) return {};
  return refused_by_table(graph, node);
}

}  // namespace

Status check_supported(const Graph& graph) {
  std::vector<bool> read(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    if (const std::string reason = refused_node(graph, node); !reason.empty()) {
      return unsupported("node '{}' ({}): {}", node.name, node.op->name, reason);
    }
    for_each_input(node, [&](ValueId id) { read[id] = true; });
  }
  for (const Constant& constant : graph.constants()) {
    if (!read[constant.value]) continue;
    if (const std::string reason = refused_constant(graph, constant); !reason.empty()) {
      return unsupported("{}", reason);
    }
  }
  return {};
}

std::vector<NodeRefusal> known_refusals(const Graph& graph) {
  std::unordered_map<ValueId, std::string> constants;
  for (const Constant& constant : graph.constants()) {
    std::string reason = refused_constant(graph, constant);
    if (!reason.empty()) constants.emplace(constant.value, std::move(reason));
  }
  std::vector<NodeRefusal> out;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    std::string reason = refused_node(graph, node);
    for_each_input(node, [&](ValueId value) {
      const auto it = constants.find(value);
      if (reason.empty() && it != constants.end()) reason = it->second;
    });
    if (!reason.empty()) out.push_back({id, std::move(reason)});
  }
  return out;
}

}  // namespace changeaware::ovn
