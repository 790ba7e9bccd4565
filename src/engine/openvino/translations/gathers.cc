// Reading at index tensors where OpenVINO's own conversion wants equal ranks, and subscripts by one
// tensor, whose dtype the frontend would not know until the whole graph is converted.
// Source: PyTorch documentation of torch.gather, torch.take_along_dim and torch.index_select.
#include <algorithm>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

const TensorSpec* spec_at(const Graph& graph, const Node& node, size_t index) {
  const auto* ref = std::get_if<ValueRef>(&node.args.at(index));
  return ref == nullptr ? nullptr : &graph.value(ref->id).spec;
}

Output at_least_one_dim(const Output& x, size_t rank) { return rank == 0 ? reshape(x, {1}) : x; }

// GatherElements of the plug-in knows no bool.
Output gathered(const Output& x, const Output& index, int64_t axis) {
  if (x.get_element_type() != ov::element::boolean) {
    return make<op::GatherElements>(x, index, axis);
  }
  return is_nonzero(make<op::GatherElements>(convert(x, ov::element::u8), index, axis));
}

// The part of `x` that the index can reach. No Slice: OpenVINO removes those before GatherElements,
// and then finds that the shapes do not fit.
Output corner(const Output& x, const Shape& self, const Shape& index, int64_t dim) {
  if (self.size() != index.size()) return x;
  std::vector<int64_t> begin(self.size(), 0), end(self);
  bool whole = true;
  for (size_t d = 0; d < self.size(); ++d) {
    if (static_cast<int64_t>(d) == dim || index[d] >= self[d]) continue;
    end[d] = index[d];
    whole = false;
  }
  if (whole) return x;
  const std::vector<int64_t> used(self.size(), 0);  // no bound is to be ignored
  return make<op::StridedSlice>(x, int_list(begin), int_list(end), used, used);
}

// The index may be smaller than the tensor in every other dimension.
ov::OutputVector gather(const OpContext& context) {
  const Shape self = context.fixed_shape_of("self");
  const Shape index = context.fixed_shape_of("index");
  const int64_t dim = wrap_dim(context.integer("dim"), self.size());
  Output x = at_least_one_dim(context.tensor("self"), self.size());
  x = corner(x, self, index, dim);
  const Output where =
      at_least_one_dim(convert(context.tensor("index"), ov::element::i64), index.size());
  const Output y = gathered(x, where, dim);
  return {index.empty() ? reshape(y, {}) : y};
}

bool gathers_unevenly(const Graph& graph, const Node& node) {
  const TensorSpec* self = spec_at(graph, node, 0);
  const int at = node.op->arg_index("index");
  const TensorSpec* index = at < 0 ? nullptr : spec_at(graph, node, static_cast<size_t>(at));
  if (self == nullptr || index == nullptr || !self->fixed() || !index->fixed()) return false;
  if (self->dims.empty() || index->dims.empty()) return true;
  return self->hint_shape() != index->hint_shape();
}

// Both are broadcast to each other but along `dim`; without one, both are flattened.
ov::OutputVector take_along_dim(const OpContext& context) {
  Shape self = context.fixed_shape_of("self");
  Shape index = context.fixed_shape_of("indices");
  Output x = context.tensor("self");
  Output where = convert(context.tensor("indices"), ov::element::i64);
  if (!context.has("dim")) {
    if (self.size() != 1) throw Refusal("an index into all elements");
    const Output flat = reshape(x, {-1});
    return {gathered(flat, reshape(where, {-1}), 0)};
  }
  if (self.size() != index.size() || self.empty()) throw Refusal("tensors of other ranks");
  const int64_t dim = wrap_dim(context.integer("dim"), self.size());
  Shape common_self = self, common_index = index;
  for (size_t d = 0; d < self.size(); ++d) {
    if (static_cast<int64_t>(d) == dim) continue;
    common_self[d] = common_index[d] = self[d] == 1 ? index[d] : self[d];
  }
  if (common_self != self) x = make<op::Broadcast>(x, int_list(common_self));
  if (common_index != index) where = make<op::Broadcast>(where, int_list(common_index));
  return {gathered(x, where, dim)};
}

bool is_fixed(const Graph& graph, const Node& node) {
  const TensorSpec* self = spec_at(graph, node, 0);
  const TensorSpec* index = spec_at(graph, node, 1);
  return self != nullptr && index != nullptr && self->fixed() && index->fixed();
}

bool self_has_rank_zero(const Graph& graph, const Node& node) {
  const TensorSpec* self = spec_at(graph, node, 0);
  return self != nullptr && self->dims.empty();
}

// One element, any number of times.
ov::OutputVector index_select_of_one(const OpContext& context) {
  const Output x = context.tensor("self");
  const Shape shape = context.fixed_result_shape();
  return {shape.empty() ? x : make<op::Broadcast>(x, int_list(shape))};
}

// Of one element: the last one written stays.
ov::OutputVector index_copy_of_one(const OpContext& context) {
  return {reshape(context.tensor("source"), {})};
}

ov::OutputVector index_add_of_one(const OpContext& context) {
  const Output x = context.tensor("self");
  const Output source = reshape(context.tensor("source"), {});
  if (context.result().dtype == DType::kBool) {
    return {context.number("alpha") == 0 ? x : make<op::LogicalOr>(x, source)};
  }
  const Output alpha = convert(context.tensor("alpha"), x.get_element_type());
  return {make<op::Add>(x, make<op::Multiply>(source, alpha))};
}

// The one index tensor of a subscript and the dimension that it stands for; -1 = there are more.
int64_t only_index(const Graph& graph, const Node& node) {
  const auto* list = std::get_if<TensorList>(&node.args.at(1));
  int64_t found = -1;
  for (size_t d = 0; list != nullptr && d < list->items.size(); ++d) {
    const auto& item = list->items[d];
    if (!item) continue;
    const DType dtype = graph.value(*item).spec.dtype;
    if (found >= 0 || !(dtype == DType::kInt64 || dtype == DType::kInt32)) return -1;
    found = static_cast<int64_t>(d);
  }
  return found;
}

bool has_one_index(const Graph& graph, const Node& node) { return only_index(graph, node) >= 0; }

ov::OutputVector subscript(const OpContext& context) {
  const int64_t dim = only_index(context.graph(), context.node());
  const Output index = context.tensors("indices").at(0);
  return {make<op::Gather>(context.tensor("self"), index, int_scalar(dim))};
}

constexpr Translation kTable[] = {
    {"aten.gather.default", gather, gathers_unevenly},
    {"aten.take_along_dim.default", take_along_dim, is_fixed},
    {"aten.index_select.default", index_select_of_one, self_has_rank_zero},
    {"aten.index_copy.default", index_copy_of_one, self_has_rank_zero},
    {"aten.index_add.default", index_add_of_one, self_has_rank_zero},
    {"aten.index.Tensor", subscript, has_one_index},
};

}  // namespace

std::span<const Translation> gather_translations() { return kTable; }

}  // namespace changeaware::ovn
