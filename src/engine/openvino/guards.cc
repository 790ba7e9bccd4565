#include "engine/openvino/guards.h"

#include <array>
#include <unordered_map>

#include "base/errors.h"

namespace changeaware::ovn {
namespace {

struct IndexedOp {
  std::string_view op;
  std::string_view indexed;  // argument
  std::string_view index;    // argument: a tensor, or a list with one entry per dimension
  std::string_view dim;      // argument; empty = dimension 0
  bool negative_legal;
};

// Of torch's own rules: only subscripts may count from the end.
constexpr std::array kIndexedOps = {
    IndexedOp{"aten.embedding.default", "weight", "indices", "", false},
    IndexedOp{"aten.embedding_bag.padding_idx", "weight", "indices", "", false},
    IndexedOp{"aten.index_select.default", "self", "index", "dim", false},
    IndexedOp{"aten.gather.default", "self", "index", "dim", false},
    IndexedOp{"aten.take_along_dim.default", "self", "indices", "dim", false},
    IndexedOp{"aten.index.Tensor", "self", "indices", "", true},
    IndexedOp{"aten.index_put.default", "self", "indices", "", true},
    IndexedOp{"aten.scatter.src", "self", "index", "dim", false},
    IndexedOp{"aten.scatter.value", "self", "index", "dim", false},
    IndexedOp{"aten.scatter.reduce", "self", "index", "dim", false},
    IndexedOp{"aten.scatter_add.default", "self", "index", "dim", false},
    IndexedOp{"aten.scatter_reduce.two", "self", "index", "dim", false},
    IndexedOp{"aten.index_reduce.default", "self", "index", "dim", false},
    IndexedOp{"aten.index_add.default", "self", "index", "dim", false},
    IndexedOp{"aten.index_copy.default", "self", "index", "dim", false},
    IndexedOp{"aten.index_fill.int_Scalar", "self", "index", "dim", false},
    IndexedOp{"aten.index_fill.int_Tensor", "self", "index", "dim", false},
};

// A divisor of integers.
constexpr std::array<std::string_view, 6> kDividingOps = {
    "aten.floor_divide.default", "aten.div.Tensor_mode", "aten.divide.Tensor_mode",
    "aten.remainder.Tensor",     "aten.fmod.Tensor",     "aten.remainder.Scalar_Tensor",
};

const IndexedOp* find_indexed(std::string_view op) {
  for (const IndexedOp& line : kIndexedOps) {
    if (line.op == op) return &line;
  }
  return nullptr;
}

bool divides_integers(const Graph& graph, const Node& node) {
  for (std::string_view op : kDividingOps) {
    if (op != node.op->name) continue;
    const ValueId out = node.outputs.at(0);
    return out != kNoId && is_integer(graph.value(out).spec.dtype);
  }
  return false;
}

const Argument& argument(const Node& node, std::string_view name) {
  return node.args[static_cast<size_t>(node.op->arg_index(name))];
}

bool is_mask(const Graph& graph, ValueId id) {
  const DType dtype = graph.value(id).spec.dtype;
  return dtype == DType::kBool || dtype == DType::kUInt8;
}

size_t indexed_dim(const Node& node, const IndexedOp& line, size_t rank) {
  if (line.dim.empty()) return 0;
  const auto* dim = std::get_if<int64_t>(&argument(node, line.dim));
  if (dim == nullptr) return 0;
  return static_cast<size_t>(*dim < 0 ? *dim + static_cast<int64_t>(rank) : *dim);
}

// The index tensors of the node with the dimension that each one indexes.
std::vector<std::pair<ValueId, size_t>> indices_of(const Graph& graph, const Node& node,
                                                   const IndexedOp& line, size_t rank) {
  std::vector<std::pair<ValueId, size_t>> out;
  const Argument& index = argument(node, line.index);
  if (const auto* one = std::get_if<ValueRef>(&index)) {
    out.emplace_back(one->id, indexed_dim(node, line, rank));
  } else if (const auto* list = std::get_if<TensorList>(&index)) {
    size_t dim = 0;
    for (const auto& item : list->items) {
      if (!item) {
        ++dim;
      } else if (is_mask(graph, *item)) {
        dim += graph.value(*item).spec.dims.size();  // a mask stands for as many as its rank
      } else {
        out.emplace_back(*item, dim++);
      }
    }
  }
  return out;
}

void add_index_guards(const Graph& graph, const Node& node, std::vector<Guard>& guards) {
  const IndexedOp* line = find_indexed(node.op->name);
  if (line == nullptr) return;
  const auto* indexed = std::get_if<ValueRef>(&argument(node, line->indexed));
  if (indexed == nullptr) return;
  const size_t rank = graph.value(indexed->id).spec.dims.size();
  for (const auto& [index, dim] : indices_of(graph, node, *line, rank)) {
    if (dim >= rank) continue;
    guards.push_back({Guard::Kind::kIndex, index, node.name, node.op->name, indexed->id, dim,
                      line->negative_legal});
  }
}

void add_divisor_guard(const Graph& graph, const Node& node, std::vector<Guard>& guards) {
  if (!divides_integers(graph, node)) return;
  const auto* other = std::get_if<ValueRef>(&argument(node, "other"));
  if (other == nullptr) return;
  guards.push_back({Guard::Kind::kDivisor, other->id, node.name, node.op->name, kNoId, 0, false});
}

template <class T>
Status check(const Guard& guard, const Tensor& values, int64_t extent) {
  const T* data = values.data_as<T>();
  const int64_t count = values.numel();
  if (guard.kind == Guard::Kind::kDivisor) {
    for (int64_t i = 0; i < count; ++i) {
      if (data[i] == 0) {
        return invalid_argument("node '{}' ({}): integer division by zero", guard.node, guard.op);
      }
    }
    return {};
  }
  const int64_t low = guard.negative_legal ? -extent : 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<int64_t>(data[i]);
    if (index < low || index >= extent) {
      return invalid_argument("node '{}' ({}): index {} is out of range [{}, {})", guard.node,
                              guard.op, index, low, extent);
    }
  }
  return {};
}

bool is_constant_zero(const Argument& a) {
  const auto* number = std::get_if<int64_t>(&a);
  return number != nullptr && *number == 0;
}

Status check_constant_divisor(const Graph& graph, const Node& node) {
  const int other = node.op->arg_index("other");
  if (other < 0 || !is_constant_zero(node.args[static_cast<size_t>(other)])) return {};
  const ValueId out = node.outputs.empty() ? kNoId : node.outputs[0];
  const std::string_view base = node.op->base_name();
  const bool divides =
      base == "floor_divide" || base == "remainder" || base == "fmod" ||
      ((base == "div" || base == "divide") && node.op->arg_index("rounding_mode") >= 0);
  if (!divides || out == kNoId || is_floating(graph.value(out).spec.dtype)) return {};
  return invalid_program("node '{}' ({}): integer division by zero", node.name, node.op->name);
}

}  // namespace

Result<std::vector<Guard>> find_guards(const Graph& graph) {
  std::vector<Guard> all;
  for (const Node& node : graph.nodes()) {
    add_index_guards(graph, node, all);
    add_divisor_guard(graph, node, all);
    CA_RETURN_IF_ERROR(check_constant_divisor(graph, node));
  }
  std::vector<Guard> guards;
  for (Guard& guard : all) {
    const Constant* constant = graph.constant_of(guard.value);
    const bool fixed_extent =
        guard.indexed == kNoId || graph.value(guard.indexed).spec.dims[guard.dim].fixed();
    if (constant == nullptr || !fixed_extent) {
      guards.push_back(std::move(guard));
      continue;
    }
    const int64_t extent =
        guard.indexed == kNoId ? 0 : graph.value(guard.indexed).spec.dims[guard.dim].size;
    const Status status = check_guard(guard, constant->tensor.contiguous(), extent);
    if (!status.ok()) return Status(StatusCode::kInvalidProgram, status.message());
  }
  return guards;
}

Status check_guard(const Guard& guard, const Tensor& values, int64_t extent) {
  switch (values.dtype()) {
    case DType::kInt64: return check<int64_t>(guard, values, extent);
    case DType::kInt32: return check<int32_t>(guard, values, extent);
    case DType::kInt16: return check<int16_t>(guard, values, extent);
    case DType::kInt8: return check<int8_t>(guard, values, extent);
    case DType::kUInt8: return check<uint8_t>(guard, values, extent);
    default:
      return internal_error("node '{}' ({}): cannot check {} values", guard.node, guard.op,
                            dtype_name(values.dtype()));
  }
}

}  // namespace changeaware::ovn
