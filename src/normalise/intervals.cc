#include "normalise/intervals.h"

#include <algorithm>

#include "base/checked.h"
#include "normalise/data_dependence.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 64;  // of expressions

using Bound = std::optional<int64_t>;

Bound add(Bound a, Bound b) { return a && b ? checked_add(*a, *b) : std::nullopt; }
Bound negate(Bound a) { return a && *a != INT64_MIN ? Bound(-*a) : std::nullopt; }

Interval sum(const Interval& a, const Interval& b) {
  return {add(a.min, b.min), add(a.max, b.max)};
}
Interval difference(const Interval& a, const Interval& b) {
  return {add(a.min, negate(b.max)), add(a.max, negate(b.min))};
}

// Of numbers that are not negative; otherwise nothing is known.
Interval product(const Interval& a, const Interval& b) {
  if (!a.min || !b.min || *a.min < 0 || *b.min < 0) return {};
  const auto times = [](Bound x, Bound y) { return x && y ? checked_mul(*x, *y) : std::nullopt; };
  return {times(a.min, b.min), times(a.max, b.max)};
}

struct Arithmetic {
  std::string_view name;
  Interval (*apply)(const Interval&, const Interval&);
};
constexpr Arithmetic kArithmetic[] = {
    {"_operator.add", sum}, {"_operator.sub", difference}, {"_operator.mul", product}};

std::optional<bool> less(const Interval& a, const Interval& b) {
  if (a.max && b.min && *a.max < *b.min) return true;
  if (a.min && b.max && *a.min >= *b.max) return false;
  return std::nullopt;
}
std::optional<bool> invert(std::optional<bool> b) { return b ? std::optional<bool>(!*b) : b; }
std::optional<bool> greater(const Interval& a, const Interval& b) { return less(b, a); }
std::optional<bool> less_equal(const Interval& a, const Interval& b) { return invert(less(b, a)); }
std::optional<bool> greater_equal(const Interval& a, const Interval& b) {
  return invert(less(a, b));
}
std::optional<bool> equal(const Interval& a, const Interval& b) {
  if (a.min && a.max && b.min && b.max && *a.min == *a.max && *b.min == *b.max &&
      *a.min == *b.min) {
    return true;
  }
  if (less(a, b) == true || less(b, a) == true) return false;
  return std::nullopt;
}
std::optional<bool> not_equal(const Interval& a, const Interval& b) { return invert(equal(a, b)); }

struct Comparison {
  std::string_view name;
  std::optional<bool> (*decide)(const Interval&, const Interval&);
  bool of_equals;  // what it is of two equal numbers
};
constexpr Comparison kComparisons[] = {
    {"_operator.lt", less, false},      {"_operator.gt", greater, false},
    {"_operator.le", less_equal, true}, {"_operator.ge", greater_equal, true},
    {"_operator.eq", equal, true},      {"_operator.ne", not_equal, false},
};

}  // namespace

Intervals::Intervals(const Graph& graph, const std::map<std::string, SymbolRange>& symbols)
    : graph_(graph),
      symbols_(symbols),
      producers_(graph.values().size(), kNoId),
      from_contents_(data_dependent_values(graph)) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    for (ValueId id : graph.nodes()[i].outputs) {
      if (id != kNoId) producers_[id] = static_cast<NodeId>(i);
    }
  }
}

Interval Intervals::of(const Argument& argument) const { return of_argument(argument, 0); }

Interval Intervals::of_argument(const Argument& argument, int depth) const {
  if (const auto* number = std::get_if<int64_t>(&argument)) return {*number, *number};
  const auto* ref = std::get_if<ValueRef>(&argument);
  return ref == nullptr ? Interval() : of_value(ref->id, depth);
}

Interval Intervals::of_dim(const Dim& dim) const {
  if (dim.fixed()) return {dim.size, dim.size};
  const auto it = symbols_.find(dim.expression);
  if (it == symbols_.end()) return {0, std::nullopt};  // a size is never negative
  return {std::max<int64_t>(it->second.min.value_or(0), 0), it->second.max};
}

// The tensor of which each element gives at most one row of the node's first dimension.
ValueId selected_from(const Graph& graph, const Node& node) {
  if (node.op->base_name() == "nonzero" || node.op->base_name() == "_unique2") {
    return tensor_argument(node, "self");
  }
  if (node.op->name != "aten.index.Tensor") return kNoId;
  const auto* indices = std::get_if<TensorList>(&argument(node, "indices"));
  if (indices == nullptr || indices->items.empty() || !indices->items[0]) return kNoId;
  const bool one = std::none_of(indices->items.begin() + 1, indices->items.end(),
                                [](const auto& item) { return item.has_value(); });
  const ValueId mask = *indices->items[0];
  return one && graph.value(mask).spec.dtype == DType::kBool ? mask : kNoId;
}

Interval Intervals::of_computed_size(ValueId tensor, int64_t dim) const {
  const Interval size{0, std::nullopt};
  if (producers_[tensor] == kNoId || dim != 0) return size;
  const ValueId from = selected_from(graph_, graph_.node(producers_[tensor]));
  if (from == kNoId || from_contents_[from]) return size;
  std::optional<int64_t> elements = 1;
  for (const Dim& d : graph_.value(from).spec.dims) {
    elements = d.fixed() && elements ? checked_mul(*elements, d.size) : std::nullopt;
  }
  return {0, elements};
}

Interval Intervals::of_value(ValueId id, int depth) const {
  if (producers_[id] == kNoId || depth > kMaxDepth) return {};
  const Node& node = graph_.node(producers_[id]);
  if (const auto size = expression(ValueRef{id}); size && node.op->name == "aten.sym_size.int") {
    return of_dim(*size);
  }
  if (node.op->name == "aten.sym_size.int") {
    const ValueId self = tensor_argument(node, "self");
    return self == kNoId ? Interval{0, std::nullopt}
                         : of_computed_size(self, int_argument(node, "dim").value_or(-1));
  }
  for (const Arithmetic& arithmetic : kArithmetic) {
    if (arithmetic.name != node.op->name) continue;
    return arithmetic.apply(of_argument(node.args[0], depth + 1),
                            of_argument(node.args[1], depth + 1));
  }
  return {};
}

std::optional<Dim> Intervals::expression(const Argument& argument) const {
  if (const auto* number = std::get_if<int64_t>(&argument)) return Dim{*number, ""};
  const auto* ref = std::get_if<ValueRef>(&argument);
  if (ref == nullptr || producers_[ref->id] == kNoId || from_contents_[ref->id])
    return std::nullopt;
  const Node& node = graph_.node(producers_[ref->id]);
  if (node.op->name != "aten.sym_size.int") {
    const Dim& symbol = graph_.value(ref->id).symbol;
    return symbol.fixed() ? std::nullopt : std::optional<Dim>(symbol);
  }
  const ValueId self = tensor_argument(node, "self");
  const auto dim = int_argument(node, "dim");
  if (self == kNoId || !dim) return std::nullopt;
  const std::vector<Dim>& dims = graph_.value(self).spec.dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t index = *dim < 0 ? *dim + rank : *dim;
  if (index < 0 || index >= rank) return std::nullopt;
  return dims[static_cast<size_t>(index)];
}

std::optional<bool> Intervals::decide(const Argument& condition) const {
  return decide_value(condition, 0);
}

std::optional<bool> Intervals::decide_value(const Argument& condition, int depth) const {
  if (const auto* flag = std::get_if<bool>(&condition)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&condition)) return *number != 0;
  const auto* ref = std::get_if<ValueRef>(&condition);
  if (ref == nullptr || producers_[ref->id] == kNoId || depth > kMaxDepth) return std::nullopt;
  const Node& node = graph_.node(producers_[ref->id]);
  if (node.op->name == "torch.sym_not" || node.op->name == "_operator.not_") {
    return invert(decide_value(node.args[0], depth + 1));
  }
  if (node.op->name == "_operator.and_" || node.op->name == "_operator.or_") {
    const bool decisive = node.op->name == "_operator.or_";
    const auto a = decide_value(node.args[0], depth + 1);
    const auto b = decide_value(node.args[1], depth + 1);
    if (a == decisive || b == decisive) return decisive;
    return a && b ? std::optional<bool>(!decisive) : std::nullopt;
  }
  return compare(node, depth);
}

std::optional<bool> Intervals::compare(const Node& node, int depth) const {
  for (const Comparison& comparison : kComparisons) {
    if (comparison.name != node.op->name) continue;
    const auto a = expression(node.args[0]);
    const auto b = expression(node.args[1]);
    if (a && b && !a->fixed() && a->expression == b->expression) return comparison.of_equals;
    return comparison.decide(of_argument(node.args[0], depth + 1),
                             of_argument(node.args[1], depth + 1));
  }
  return std::nullopt;
}

}  // namespace changeaware
