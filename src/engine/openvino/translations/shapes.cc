// Joining and cutting where OpenVINO does not follow PyTorch's oldest rules.
#include <algorithm>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

bool has_no_elements(const TensorSpec& spec) {
  return std::any_of(spec.dims.begin(), spec.dims.end(),
                     [](const Dim& d) { return d.fixed() && d.size == 0; });
}

// Operands of shape (0,) are passed over whatever the others' shape; others without elements add
// nothing.
ov::OutputVector cat(const OpContext& context) {
  std::vector<ValueId> values;
  for_each_value(context.argument("tensors"), [&](ValueId id) { values.push_back(id); });
  const std::vector<Output> tensors = context.tensors("tensors");
  ov::OutputVector parts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (has_no_elements(context.graph().value(values[i]).spec)) continue;
    parts.push_back(convert(tensors[i], context.result_type()));
  }
  if (parts.empty()) throw Refusal("nothing to join");
  if (parts.size() == 1) return {parts[0]};
  return {make<op::Concat>(parts, wrap_dim(context.integer("dim"), context.result().dims.size()))};
}

bool joins_nothing(const Graph& graph, const Node& node) {
  bool found = false;
  for_each_value(node.args.at(0),
                 [&](ValueId id) { found |= has_no_elements(graph.value(id).spec); });
  return found;
}

// Counted, not measured.
bool counts_differences(const Graph&, const Node& node) {
  const int at = node.op->arg_index("p");
  const Argument& p = node.args.at(static_cast<size_t>(at));
  return p == Argument(0.0) || p == Argument(int64_t{0});
}

ov::OutputVector count_differences(const OpContext& context) {
  const Output a = make<op::Unsqueeze>(context.tensor("x1"), int_list({-2}));
  const Output b = make<op::Unsqueeze>(context.tensor("x2"), int_list({-3}));
  const Output differs = convert(make<op::NotEqual>(a, b), ov::element::f32);
  return {make<op::ReduceSum>(differs, int_list({-1}), false)};
}

bool self_has_rank_zero(const Graph& graph, const Node& node) {
  const auto* ref = std::get_if<ValueRef>(&node.args.at(0));
  return ref != nullptr && graph.value(ref->id).kind == ValueKind::kTensor &&
         graph.value(ref->id).spec.dims.empty();
}

ov::OutputVector one_window(const OpContext& context) {
  return {reshape(context.tensor("self"), context.fixed_result_shape())};
}

// The norm of one number is its magnitude; the "norm" 0 counts what is not zero.
ov::OutputVector plain_norm(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  const size_t rank = context.spec_of("self").dims.size();
  const bool counts = context.has("ord") && context.number("ord") == 0;
  if (!counts) return {make<op::Abs>(x)};
  const Output each = convert(is_nonzero(x), context.result_type());
  if (rank == 0) return {each};
  const auto dims = reduced_dims(context, "dim", rank);
  return {make<op::ReduceSum>(each, int_list(dims), context.flag("keepdim"))};
}

bool norm_is_plain(const Graph& graph, const Node& node) {
  const Argument& ord = node.args.at(1);
  return self_has_rank_zero(graph, node) || ord == Argument(0.0) || ord == Argument(int64_t{0});
}

constexpr Translation kTable[] = {
    {"aten.cat.default", cat, joins_nothing},
    {"aten.concat.default", cat, joins_nothing},
    {"aten.cdist.default", count_differences, counts_differences},
    {"aten.unfold.default", one_window, self_has_rank_zero},
    {"aten.linalg_vector_norm.default", plain_norm, norm_is_plain},
};

}  // namespace

std::span<const Translation> shape_translations() { return kTable; }

}  // namespace changeaware::ovn
