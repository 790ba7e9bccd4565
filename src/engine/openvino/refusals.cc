#include "engine/openvino/refusals.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/errors.h"

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

bool has_divisor_override(const Graph&, const Node& node) {
  const Argument* a = named(node, "divisor_override");
  return a != nullptr && !std::holds_alternative<None>(*a);
}

bool has_ceil_mode(const Graph&, const Node& node) {
  const Argument* a = named(node, "ceil_mode");
  return a != nullptr && std::holds_alternative<bool>(*a) && std::get<bool>(*a);
}

bool pools_integers_or_oddly(const Graph& graph, const Node& node) {
  return is_integral(graph, node) || has_divisor_override(graph, node) ||
         has_ceil_mode(graph, node);
}

bool p_is_zero(const Graph&, const Node& node) {
  const Argument* a = named(node, "p");
  return a != nullptr && std::holds_alternative<double>(*a) && std::get<double>(*a) == 0;
}

bool has_padding_index(const Graph&, const Node& node) {
  const Argument* a = named(node, "padding_idx");
  return a != nullptr && std::holds_alternative<int64_t>(*a) && std::get<int64_t>(*a) >= 0;
}

bool has_mask_index(const Graph& graph, const Node& node) {
  bool found = false;
  for_each_value(node.args.at(1), [&](ValueId id) {
    const DType dtype = graph.value(id).spec.dtype;
    found |= dtype == DType::kBool || dtype == DType::kUInt8;
  });
  return found;
}

bool has_byte_index(const Graph& graph, const Node& node) {
  bool found = false;
  for_each_value(node.args.at(1),
                 [&](ValueId id) { found |= graph.value(id).spec.dtype == DType::kUInt8; });
  return found;
}

bool makes_smaller(const Graph& graph, const Node& node) {
  const TensorSpec* in = tensor_argument(graph, node, 0);
  if (in == nullptr || node.outputs.at(0) == kNoId) return true;
  const TensorSpec& out = graph.value(node.outputs[0]).spec;
  if (!in->fixed() || !out.fixed()) return true;
  for (size_t d = 2; d < out.dims.size() && d < in->dims.size(); ++d) {
    if (out.dims[d].size < in->dims[d].size) return true;
  }
  return false;
}

bool trains(const Graph&, const Node& node) {
  for (std::string_view name : {"train", "training"}) {
    const Argument* a = named(node, name);
    if (a != nullptr && std::holds_alternative<bool>(*a) && std::get<bool>(*a)) return true;
  }
  return false;
}

bool integral_result_of_two_tensors(const Graph& graph, const Node& node) {
  return node.outputs.at(0) != kNoId && !is_floating(graph.value(node.outputs[0]).spec.dtype);
}

struct Refused {
  std::string_view op;
  Condition when;
  std::string_view reason;
};

// Kept in the order of the alphabet.
constexpr std::array kRefused = {
    Refused{"aten._upsample_bicubic2d_aa.default", always, "antialiasing is computed differently"},
    Refused{"aten._upsample_bicubic2d_aa.vec", always, "antialiasing is computed differently"},
    Refused{"aten._upsample_bilinear2d_aa.default", always, "antialiasing is computed differently"},
    Refused{"aten._upsample_bilinear2d_aa.vec", always, "antialiasing is computed differently"},
    Refused{"aten.argwhere.default", is_rank_zero,
            "the result of a rank 0 tensor has another shape"},
    Refused{"aten.atan2.default", is_integral, "integers are computed in integers"},
    Refused{"aten.avg_pool1d.default", pools_integers_or_oddly,
            "integer averages are rounded, and ceil_mode and divisor_override are not followed"},
    Refused{"aten.avg_pool2d.default", pools_integers_or_oddly,
            "integer averages are rounded, and ceil_mode and divisor_override are not followed"},
    Refused{"aten.avg_pool3d.default", pools_integers_or_oddly,
            "integer averages are rounded, and ceil_mode and divisor_override are not followed"},
    Refused{"aten.batch_norm.default", trains, "training mode"},
    Refused{"aten.cdist.default", p_is_zero, "p = 0 counts differently"},
    Refused{"aten.clamp.default", is_bool, "bool operands"},
    Refused{"aten.dropout.default", trains, "training mode"},
    Refused{"aten.embedding_bag.padding_idx", has_padding_index, "padding_idx is not followed"},
    Refused{"aten.erfinv.default", always, "precision near -1 and 1 is lost"},
    Refused{"aten.gcd.default", always, "reads memory that is not its own"},
    Refused{"aten.index.Tensor", has_byte_index, "uint8 masks"},
    Refused{"aten.index_put.default", has_mask_index, "bool masks"},
    Refused{"aten.instance_norm.default", trains, "statistics of the batch are kept as state"},
    Refused{"aten.kthvalue.default", always, "the result is wrong"},
    Refused{"aten.logaddexp.default", always, "infinities give NaN"},
    Refused{"aten.logsumexp.default", is_integral, "integers are computed in integers"},
    Refused{"aten.nonzero.default", is_rank_zero,
            "the result of a rank 0 tensor has another shape"},
    Refused{"aten.pow.Scalar", integral_result_of_two_tensors, "integer powers go through float32"},
    Refused{"aten.pow.Tensor_Tensor", integral_result_of_two_tensors,
            "integer powers go through float32"},
    Refused{"aten.unravel_index.default", always, "int64 is computed in 32 bits"},
    Refused{"aten.upsample_bicubic2d.default", makes_smaller,
            "a bicubic resize to a smaller or unknown size is computed differently"},
    Refused{"aten.upsample_bicubic2d.vec", makes_smaller,
            "a bicubic resize to a smaller or unknown size is computed differently"},
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

Status refuse(const Node& node, std::string_view reason) {
  return unsupported("node '{}' ({}): {}", node.name, node.op->name, reason);
}

Status check_dtypes(const Graph& graph, const Node& node) {
  const bool moves = moving_ops().contains(node.op->base_name());
  Status status;
  const auto check = [&](ValueId id) {
    const Value& value = graph.value(id);
    if (!status.ok() || value.kind != ValueKind::kTensor) return;
    if (const auto reason = unusable(value.spec.dtype); !reason.empty()) {
      status = refuse(
          node, fmt::format("'{}' is {}: {}", value.name, dtype_name(value.spec.dtype), reason));
    } else if (is_half(value.spec.dtype) && !moves) {
      status = refuse(node, fmt::format("'{}' is {}, which is computed in float32 by OpenVINO",
                                        value.name, dtype_name(value.spec.dtype)));
    }
  };
  for_each_input(node, check);
  for (ValueId id : node.outputs) {
    if (id == kNoId) continue;
    check(id);
    const Value& value = graph.value(id);
    if (status.ok() && value.kind == ValueKind::kTensor && is_small_integer(value.spec.dtype) &&
        !moves && !bounded_ops().contains(node.op->base_name())) {
      return refuse(node, fmt::format("arithmetic in {}, which saturates in OpenVINO and wraps in "
                                      "PyTorch",
                                      dtype_name(value.spec.dtype)));
    }
  }
  return status;
}

bool fits_int32(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
}

// A number that is computed with, rather than a bound of a slice, which is clamped.
Status check_numbers(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < node.args.size(); ++i) {
    // A number may stand for a tensor.
    const ArgType type = node.op->args[i].type;
    if (type != ArgType::kScalar && type != ArgType::kTensor) continue;
    const auto* number = std::get_if<int64_t>(&node.args[i]);
    if (number == nullptr || fits_int32(*number)) continue;
    const bool floating = !node.outputs.empty() && node.outputs[0] != kNoId &&
                          is_floating(graph.value(node.outputs[0]).spec.dtype);
    if (floating) continue;
    return refuse(node, fmt::format("{} = {} is outside int32, in which OpenVINO computes int64",
                                    node.op->args[i].name, *number));
  }
  return {};
}

Status check_constant(const Graph& graph, const Constant& constant) {
  if (const auto reason = unusable(constant.tensor.dtype()); !reason.empty()) {
    return unsupported("constant '{}': {}", constant.fqn, reason);
  }
  if (constant.tensor.dtype() != DType::kInt64) return {};
  const Tensor dense = constant.tensor.contiguous();
  const auto* data = dense.data_as<int64_t>();
  const int64_t* end = data + dense.numel();
  const int64_t* wide = std::find_if(data, end, [](int64_t v) { return !fits_int32(v); });
  if (wide == end) return {};
  return unsupported("constant '{}' ('{}'): {} is outside int32, in which OpenVINO computes int64",
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

Status check_table(const Graph& graph, const Node& node) {
  const auto [begin, end] = refusal_table().equal_range(node.op->name);
  for (auto it = begin; it != end; ++it) {
    if (it->second->when(graph, node)) return refuse(node, it->second->reason);
  }
  return {};
}

}  // namespace

Status check_supported(const Graph& graph) {
  std::vector<bool> read(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    CA_RETURN_IF_ERROR(check_dtypes(graph, node));
    CA_RETURN_IF_ERROR(check_numbers(graph, node));
    CA_RETURN_IF_ERROR(check_table(graph, node));
    for_each_input(node, [&](ValueId id) { read[id] = true; });
  }
  for (const Constant& constant : graph.constants()) {
    if (read[constant.value]) CA_RETURN_IF_ERROR(check_constant(graph, constant));
  }
  return {};
}

}  // namespace changeaware::ovn
