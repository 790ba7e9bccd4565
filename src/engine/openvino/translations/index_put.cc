// Writing at index tensors.
#include <openvino/opsets/opset15.hpp>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

// NumPy's rule for two shapes.
Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) throw Refusal("shapes that do not broadcast");
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

// Indices that count from the end count from the start.
Output from_start(const Output& index, int64_t extent) {
  const Output wide = convert(index, ov::element::i64);
  const Output shifted = make<op::Add>(wide, int_scalar(extent));
  return make<op::Select>(make<op::Less>(wide, int_scalar(0)), shifted, wide);
}

ov::OutputVector index_put(const OpContext& context) {
  const Shape self = context.fixed_shape_of("self");
  const auto* list = std::get_if<TensorList>(&context.argument("indices"));
  if (list == nullptr) throw Refusal("indices that are no list");
  Shape common;
  for (const auto& item : list->items) {
    if (!item) throw Refusal("an index of all of a dimension (None)");
    const TensorSpec& spec = context.graph().value(*item).spec;
    if (!spec.fixed()) throw Refusal("indices of symbolic size");
    common = broadcast_shape(common, spec.hint_shape());
  }
  const std::vector<Output> indices = context.tensors("indices");
  ov::OutputVector coordinates;
  for (size_t d = 0; d < indices.size(); ++d) {
    const Output full = make<op::Broadcast>(from_start(indices[d], self.at(d)), int_list(common));
    coordinates.push_back(make<op::Unsqueeze>(full, int_list({-1})));
  }
  const Output where = make<op::Concat>(coordinates, -1);
  Shape written = common;
  written.insert(written.end(), self.begin() + static_cast<std::ptrdiff_t>(indices.size()),
                 self.end());
  const Output values = convert(context.tensor("values"), context.result_type());
  using Scatter = ov::op::v15::ScatterNDUpdate;
  const auto mode = context.flag("accumulate") ? Scatter::Reduction::SUM : Scatter::Reduction::NONE;
  return {make<Scatter>(context.tensor("self"), where,
                        make<op::Broadcast>(values, int_list(written)), mode)};
}

bool without_masks(const Graph& graph, const Node& node) {
  bool masked = false;
  for_each_value(node.args.at(1),
                 [&](ValueId id) { masked |= graph.value(id).spec.dtype == DType::kBool; });
  return !masked;
}

constexpr Translation kTable[] = {{"aten.index_put.default", index_put, without_masks}};

}  // namespace

std::span<const Translation> index_put_translations() { return kTable; }

}  // namespace changeaware::ovn
