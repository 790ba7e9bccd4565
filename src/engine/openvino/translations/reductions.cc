// Reductions over an empty list of dimensions, which means all of them, and sums of integers.
#include <algorithm>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

std::vector<int64_t> axes_of(const OpContext& context) {
  return reduced_dims(context, "dim", context.spec_of("self").dims.size());
}

bool keeps_dims(const OpContext& context) { return context.flag("keepdim"); }

template <class Op>
ov::OutputVector reduce(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  return {make<Op>(x, int_list(axes_of(context)), keeps_dims(context))};
}

template <class Op>
ov::OutputVector reduce_truth(const OpContext& context) {
  return {make<Op>(is_nonzero(context.tensor("self")), int_list(axes_of(context)),
                   keeps_dims(context))};
}

// OpenVINO adds integers up in float32; its cumulative sum stays in integers. The reduced
// dimensions become one, at the end.
ov::OutputVector integer_sum(const OpContext& context) {
  const auto rank = static_cast<int64_t>(context.spec_of("self").dims.size());
  const auto axes = reduced_dims(context, "dim", static_cast<size_t>(rank));
  const bool keep = context.has("keepdim") && context.flag("keepdim");
  const Shape shape = context.fixed_shape_of("self");
  std::vector<int64_t> order, kept, kept_dims(shape);
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    order.push_back(d);
    kept.push_back(shape[static_cast<size_t>(d)]);
  }
  int64_t count = 1;
  for (int64_t d : axes) {
    order.push_back(d);
    count *= shape[static_cast<size_t>(d)];
    kept_dims[static_cast<size_t>(d)] = 1;
  }
  const auto axis = static_cast<int64_t>(kept.size());
  kept.push_back(count);
  const Output x = convert(context.tensor("self"), context.result_type());
  const Output rows = reshape(transpose(x, order), kept);
  const Output sums = make<op::CumSum>(rows, int_scalar(axis));
  const Output last = make<op::Gather>(sums, int_scalar(count - 1), int_scalar(axis));
  return {keep ? reshape(last, kept_dims) : last};
}

bool adds_integers(const Graph& graph, const Node& node) {
  const TensorSpec& self = graph.value(std::get<ValueRef>(node.args.at(0)).id).spec;
  int64_t count = 1;
  for (const Dim& d : self.dims) count *= d.size;
  const bool wide = self.dtype == DType::kInt64 || self.dtype == DType::kInt32;
  return wide && !self.dims.empty() && count > 0 && node.outputs.at(0) != kNoId &&
         !is_floating(graph.value(node.outputs[0]).spec.dtype);
}

bool all_dims(const Graph& graph, const Node& node) {
  const auto* self = std::get_if<ValueRef>(&node.args.at(0));
  if (self == nullptr || graph.value(self->id).spec.dims.empty()) return false;
  if (std::holds_alternative<None>(node.args.at(1))) return true;
  const auto* dims = std::get_if<std::vector<int64_t>>(&node.args.at(1));
  return dims != nullptr && dims->empty();
}

bool rank_is_not_zero(const Graph& graph, const Node& node) {
  const auto* self = std::get_if<ValueRef>(&node.args.at(0));
  return self != nullptr && !graph.value(self->id).spec.dims.empty();
}

constexpr Translation kTable[] = {
    {"aten.sum.default", integer_sum, adds_integers},
    {"aten.sum.dim_IntList", integer_sum, adds_integers},
    {"aten.sum.dim_IntList", reduce<op::ReduceSum>, all_dims},
    {"aten.mean.dim", reduce<op::ReduceMean>, all_dims},
    {"aten.any.dims", reduce_truth<op::ReduceLogicalOr>, rank_is_not_zero},
    {"aten.all.dims", reduce_truth<op::ReduceLogicalAnd>, rank_is_not_zero},
};

}  // namespace

std::span<const Translation> reduction_translations() { return kTable; }

}  // namespace changeaware::ovn
