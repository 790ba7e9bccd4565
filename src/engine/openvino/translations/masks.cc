// Writing where a mask says so.
#include <algorithm>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

// The only index, and how many dimensions are passed over before it.
struct Mask {
  ValueId value = kNoId;
  size_t before = 0;
};

Mask mask_of(const Graph& graph, const Node& node) {
  const auto* list = std::get_if<TensorList>(&node.args.at(1));
  Mask mask;
  for (size_t d = 0; list != nullptr && d < list->items.size(); ++d) {
    const auto& item = list->items[d];
    if (!item) continue;
    if (mask.value != kNoId || graph.value(*item).spec.dtype != DType::kBool) return {};
    mask = {*item, d};
  }
  return mask;
}

// How many places the mask chooses is known at run time only, so there must be one value for all of
// them, but perhaps one per place of the dimensions after the mask's.
ov::OutputVector put_where(const OpContext& context) {
  const Shape self = context.fixed_shape_of("self");
  const Mask mask = mask_of(context.graph(), context.node());
  if (mask.value == kNoId) throw Refusal("a bool mask among other indices");
  const size_t rank = context.graph().value(mask.value).spec.dims.size();
  const size_t after = self.size() - mask.before - rank;
  const Shape values = context.fixed_shape_of("values");
  const size_t places = mask.before + 1 + after;  // what is written has one dimension for the mask
  for (size_t d = 0; d + after < values.size(); ++d) {
    if (values[d] != 1) throw Refusal("as many values as the mask chooses");
  }
  if (values.size() > places) throw Refusal("values of another rank");
  Shape sizes(self.size(), 1);
  const size_t kept = std::min(after, values.size());
  std::copy(values.end() - static_cast<std::ptrdiff_t>(kept), values.end(),
            sizes.end() - static_cast<std::ptrdiff_t>(kept));
  Shape mask_sizes(self.size(), 1);
  for (size_t d = 0; d < rank; ++d) mask_sizes[mask.before + d] = self[mask.before + d];
  const Output x = context.tensor("self");
  Output value = reshape(convert(context.tensor("values"), context.result_type()), sizes);
  if (context.flag("accumulate")) {
    if (x.get_element_type() == ov::element::boolean) throw Refusal("sums of bool");
    value = make<op::Add>(x, value);
  }
  const Output where = reshape(context.tensors("indices").at(0), mask_sizes);
  return {make<op::Select>(where, value, x)};
}

bool puts_where(const Graph& graph, const Node& node) {
  bool masked = false;
  for_each_value(node.args.at(1),
                 [&](ValueId id) { masked |= graph.value(id).spec.dtype == DType::kBool; });
  return masked;
}

// The source's elements go to the places of the mask in order: the place of each is the number of
// those before it.
ov::OutputVector masked_scatter(const OpContext& context) {
  const Shape shape = context.fixed_result_shape();
  const bool is_bool = context.result().dtype == DType::kBool;
  const Shape source_shape = context.fixed_shape_of("source");
  int64_t count = 1;
  for (int64_t size : source_shape) count *= size;
  const Output mask = make<op::Broadcast>(is_nonzero(context.tensor("mask")), int_list(shape));
  const Output self = make<op::Broadcast>(context.tensor("self"), int_list(shape));
  const Output flat = reshape(convert(mask, ov::element::i64), {-1});
  const Output order = make<op::Subtract>(make<op::CumSum>(flat, int_scalar(0)), int_scalar(1));
  const Output bounded =
      make<op::Minimum>(make<op::Maximum>(order, int_scalar(0)), int_scalar(count - 1));
  Output source = reshape(context.tensor("source"), {-1});
  if (is_bool) source = convert(source, ov::element::u8);
  const Output taken = reshape(make<op::Gather>(source, bounded, int_scalar(0)), shape);
  return {make<op::Select>(mask, is_bool ? is_nonzero(taken) : taken, self)};
}

constexpr Translation kTable[] = {
    {"aten.index_put.default", put_where, puts_where},
    {"aten.masked_scatter.default", masked_scatter},
};

}  // namespace

std::span<const Translation> mask_translations() { return kTable; }

}  // namespace changeaware::ovn
