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

// The norm of one number is its magnitude, but for the "norm" 0, which counts.
ov::OutputVector norm_of_one(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  if (context.has("ord") && context.number("ord") == 0) {
    return {convert(is_nonzero(x), context.result_type())};
  }
  return {make<op::Abs>(x)};
}

constexpr Translation kTable[] = {
    {"aten.cat.default", cat, joins_nothing},
    {"aten.concat.default", cat, joins_nothing},
    {"aten.cdist.default", count_differences, counts_differences},
    {"aten.unfold.default", one_window, self_has_rank_zero},
    {"aten.linalg_vector_norm.default", norm_of_one, self_has_rank_zero},
};

}  // namespace

std::span<const Translation> shape_translations() { return kTable; }

}  // namespace changeaware::ovn
