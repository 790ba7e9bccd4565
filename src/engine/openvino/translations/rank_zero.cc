// Tensors of rank 0 where PyTorch treats them as of rank 1, and expansion to and from rank 0.
// OpenVINO refuses the reductions ("out-of-range dimension") and crashes on the expansions.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

bool rank_is_zero(const Graph& graph, const Node& node) {
  const auto* ref = std::get_if<ValueRef>(&node.args.at(0));
  return ref != nullptr && graph.value(ref->id).kind == ValueKind::kTensor &&
         graph.value(ref->id).spec.dims.empty();
}

Output self_as_result(const OpContext& context) {
  const ov::element::Type type = context.result_type();
  const Output x = context.tensor("self");
  return type == ov::element::boolean ? is_nonzero(x) : convert(x, type);
}

ov::OutputVector same(const OpContext& context) { return {self_as_result(context)}; }

ov::OutputVector same_and_index(const OpContext& context) {
  return {context.tensor("self"), int_scalar(0)};
}

ov::OutputVector index_only(const OpContext&) { return {int_scalar(0)}; }

// One element, as many times as the result's shape has room for.
ov::OutputVector filled(const OpContext& context) {
  const Shape shape = context.fixed_result_shape();
  const Output x = context.tensor("self");
  if (shape.empty()) return {x};
  return {make<op::Broadcast>(x, int_list(shape))};
}

constexpr Translation kTable[] = {
    {"aten.sum.default", same, rank_is_zero},
    {"aten.sum.dim_IntList", same, rank_is_zero},
    {"aten.mean.default", same, rank_is_zero},
    {"aten.mean.dim", same, rank_is_zero},
    {"aten.prod.default", same, rank_is_zero},
    {"aten.prod.dim_int", same, rank_is_zero},
    {"aten.any.default", same, rank_is_zero},
    {"aten.any.dim", same, rank_is_zero},
    {"aten.any.dims", same, rank_is_zero},
    {"aten.all.default", same, rank_is_zero},
    {"aten.all.dim", same, rank_is_zero},
    {"aten.all.dims", same, rank_is_zero},
    {"aten.amax.default", same, rank_is_zero},
    {"aten.amin.default", same, rank_is_zero},
    {"aten.max.default", same, rank_is_zero},
    {"aten.min.default", same, rank_is_zero},
    {"aten.logsumexp.default", same, rank_is_zero},
    {"aten.max.dim", same_and_index, rank_is_zero},
    {"aten.min.dim", same_and_index, rank_is_zero},
    {"aten.sort.default", same_and_index, rank_is_zero},
    {"aten.argmax.default", index_only, rank_is_zero},
    {"aten.argmin.default", index_only, rank_is_zero},
    {"aten.expand.default", filled, rank_is_zero},
    {"aten.expand_as.default", filled, rank_is_zero},
    {"aten.broadcast_to.default", filled, rank_is_zero},
    {"aten.repeat.default", filled, rank_is_zero},
    {"aten.tile.default", filled, rank_is_zero},
};

}  // namespace

std::span<const Translation> rank_zero_translations() { return kTable; }

}  // namespace changeaware::ovn
