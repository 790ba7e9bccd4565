// Scaled dot product attention.
//
// A row of queries that may attend to nothing gives zeros in PyTorch (2.5 and later) and NaN in
// OpenVINO. Such rows are set to zero after the attention, which stays one fused operation.
// Source: PyTorch documentation of torch.nn.functional.scaled_dot_product_attention.
#include <cmath>
#include <limits>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

// Whether each row of the mask has a place that may be attended to: [..., rows, 1], boolean.
Output attends(const Output& mask) {
  const Output last = int_list({-1});
  if (mask.get_element_type() == ov::element::boolean) {
    return make<op::ReduceLogicalOr>(mask, last, true);
  }
  // Element by element: OpenVINO's maximum of nothing but -inf is the lowest finite number.
  const Output never = scalar(ov::element::f32, -std::numeric_limits<float>::infinity());
  return make<op::ReduceLogicalOr>(make<op::Greater>(mask, never), last, true);
}

// A constant mask without an empty row needs no correction.
bool every_row_attends(const Output& mask) {
  const auto constant = ov::as_type_ptr<op::Constant>(mask.get_node_shared_ptr());
  if (constant == nullptr || constant->get_shape().empty()) return false;
  const size_t columns = constant->get_shape().back();
  const auto values = constant->cast_vector<float>();
  const bool boolean = constant->get_element_type() == ov::element::boolean;
  for (size_t row = 0; row + columns <= values.size() && columns > 0; row += columns) {
    bool any = false;
    for (size_t i = row; i < row + columns; ++i)
      any |= boolean ? values[i] != 0 : values[i] > -INFINITY;
    if (!any) return false;
  }
  return columns > 0;
}

// [..., heads of keys, S, D] → [..., heads of queries, S, D], each head repeated in place.
Output repeat_heads(const Output& x, const Shape& shape, int64_t heads) {
  const size_t axis = shape.size() - 3;
  const int64_t groups = heads / shape[axis];
  if (groups == 1) return x;
  std::vector<int64_t> order;
  for (int64_t h = 0; h < heads; ++h) order.push_back(h / groups);
  return make<op::Gather>(x, int_list(order), int_scalar(static_cast<int64_t>(axis)));
}

ov::OutputVector attention(const OpContext& context) {
  if (context.number("dropout_p") != 0) throw Refusal("dropout");
  const TensorSpec& query_spec = context.spec_of("query");
  const Output query = context.tensor("query");
  Output key = context.tensor("key");
  Output value = context.tensor("value");
  if (context.has("enable_gqa") && context.flag("enable_gqa")) {
    const Shape q = context.fixed_shape_of("query");
    if (q.size() < 3) throw Refusal("grouped queries without heads");
    key = repeat_heads(key, context.fixed_shape_of("key"), q[q.size() - 3]);
    value = repeat_heads(value, context.fixed_shape_of("value"), q[q.size() - 3]);
  }
  ov::OutputVector inputs{query, key, value};
  const bool masked = context.has("attn_mask");
  if (masked) inputs.push_back(context.tensor("attn_mask"));
  if (context.has("scale")) {
    if (!masked) inputs.push_back(scalar(ov::element::f32, 0.0f));
    inputs.push_back(scalar(ov::element::f32, static_cast<float>(context.number("scale"))));
  } else if (!query_spec.dims.back().fixed()) {
    throw Refusal("a symbolic head size");
  }
  const Output result = make<op::ScaledDotProductAttention>(inputs, context.flag("is_causal"));
  if (!masked || every_row_attends(inputs[3])) return {result};
  return {make<op::Select>(attends(inputs[3]), result, scalar(ov::element::f32, 0.0f))};
}

// The CPU operator that PyTorch's decompositions give; its second result serves the gradient.
ov::OutputVector flash_attention(const OpContext& context) {
  // A stand-in of rank 0: whoever reads it is found by the check of every value's shape.
  return {attention(context)[0], scalar(ov::element::f32, 0.0f)};
}

constexpr Translation kTable[] = {
    {"aten.scaled_dot_product_attention.default", attention},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flash_attention},
};

}  // namespace

std::span<const Translation> attention_translations() { return kTable; }

}  // namespace changeaware::ovn
