// Largest and smallest elements, and where they are.
//
// OpenVINO reduces integers as float32 (exact up to 2^24), gives the lowest finite number for
// nothing but -inf, and passes over NaN, which in PyTorch wins. With a dimension the place is
// found first, by a top-k of one in which NaN counts as the extreme infinity, and the element is
// fetched from there.
#include <limits>
#include <openvino/opsets/opset11.hpp>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

using Mode = ov::op::TopKMode;

Output is_number(const Output& x) { return make<op::Equal>(x, x); }

struct Place {
  Output x;      // of rank >= 1
  Output index;  // size 1 along `axis`
  int64_t axis;
};

// What is compared: NaN counts as the infinity that `mode` looks for, bool as 0 and 1.
Output key_of(const Output& x, Mode mode) {
  if (x.get_element_type() == ov::element::boolean) return convert(x, ov::element::i32);
  if (!x.get_element_type().is_real()) return x;
  const float infinity = std::numeric_limits<float>::infinity();
  const Output extreme = scalar(x.get_element_type(), mode == Mode::MAX ? infinity : -infinity);
  return make<op::Select>(is_number(x), x, extreme);
}

Place place_of(const Output& x, int64_t axis, Mode mode) {
  const auto top = std::make_shared<ov::op::v11::TopK>(key_of(x, mode), int_scalar(1), axis, mode,
                                                       ov::op::TopKSortType::SORT_VALUES,
                                                       ov::element::i64, true);
  return {x, top->output(1), axis};
}

Output without_axis(const Output& x, int64_t axis, bool keep) {
  return keep ? x : make<op::Squeeze>(x, int_list({axis}));
}

Output element_at(const Place& place) {
  if (place.x.get_element_type() == ov::element::boolean) {
    const Output wide = convert(place.x, ov::element::i32);
    return is_nonzero(make<op::GatherElements>(wide, place.index, place.axis));
  }
  return make<op::GatherElements>(place.x, place.index, place.axis);
}

template <Mode mode>
ov::OutputVector with_dim(const OpContext& context) {
  const int64_t axis = wrap_dim(context.integer("dim"), context.spec_of("self").dims.size());
  const Place place = place_of(context.tensor("self"), axis, mode);
  const bool keep = context.flag("keepdim");
  return {without_axis(element_at(place), axis, keep), without_axis(place.index, axis, keep)};
}

// With dim None the tensor is flattened first.
template <Mode mode>
ov::OutputVector index_only(const OpContext& context) {
  const size_t rank = context.spec_of("self").dims.size();
  const bool keep = context.flag("keepdim");
  if (context.has("dim")) {
    const int64_t axis = wrap_dim(context.integer("dim"), rank);
    return {without_axis(place_of(context.tensor("self"), axis, mode).index, axis, keep)};
  }
  const Place place = place_of(reshape(context.tensor("self"), {-1}), 0, mode);
  if (!keep) return {without_axis(place.index, 0, false)};
  return {reshape(place.index, std::vector<int64_t>(rank, 1))};
}

// Over all elements, or the dimensions of amax and amin; floating point.
template <Mode mode>
ov::OutputVector reduce(const OpContext& context) {
  const Output x = context.tensor("self");
  const Output axes = int_list(reduced_dims(context, "dim", context.spec_of("self").dims.size()));
  const bool keep = context.has("keepdim") && context.flag("keepdim");
  const bool largest = mode == Mode::MAX;
  const float worst =
      largest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  const Output nothing = scalar(x.get_element_type(), worst);
  const Output better = largest ? make<op::Greater>(x, nothing) : make<op::Less>(x, nothing);
  const Output any = make<op::ReduceLogicalOr>(better, axes, keep);
  const Output extreme =
      largest ? make<op::ReduceMax>(x, axes, keep) : make<op::ReduceMin>(x, axes, keep);
  return {make<op::Select>(any, extreme, nothing)};
}

// Over all dimensions, or one, of integers.
template <Mode mode>
ov::OutputVector reduce_integers(const OpContext& context) {
  const size_t rank = context.spec_of("self").dims.size();
  const auto axes = reduced_dims(context, "dim", rank);
  const bool keep = context.has("keepdim") && context.flag("keepdim");
  if (axes.size() == 1) {
    const Place place = place_of(context.tensor("self"), axes[0], mode);
    return {without_axis(element_at(place), axes[0], keep)};
  }
  if (axes.size() != rank) throw Refusal("integers over several dimensions");
  const Place place = place_of(reshape(context.tensor("self"), {-1}), 0, mode);
  if (!keep) return {without_axis(element_at(place), 0, false)};
  return {reshape(element_at(place), std::vector<int64_t>(rank, 1))};
}

// Both extremes, over all elements or along one dimension.
ov::OutputVector both_extremes(const OpContext& context) {
  const size_t rank = context.spec_of("self").dims.size();
  const bool keep = context.flag("keepdim");
  const Output self = context.tensor("self");
  if (rank == 0) return {self, self};
  const bool all = !context.has("dim");
  const Output x = all ? reshape(self, {-1}) : self;
  const int64_t axis = all ? 0 : wrap_dim(context.integer("dim"), rank);
  ov::OutputVector out;
  for (Mode mode : {Mode::MIN, Mode::MAX}) {
    const Output extreme = element_at(place_of(x, axis, mode));
    const bool rank_kept = all && keep;
    out.push_back(rank_kept ? reshape(extreme, std::vector<int64_t>(rank, 1))
                            : without_axis(extreme, axis, keep));
  }
  return out;
}

// The last of the k smallest; NaN counts as the largest.
ov::OutputVector kth_value(const OpContext& context) {
  const size_t rank = context.spec_of("self").dims.size();
  const Output x = context.tensor("self");
  if (rank == 0) return {x, int_scalar(0)};
  const int64_t axis = wrap_dim(context.integer("dim"), rank);
  const int64_t k = context.integer("k");
  const bool keep = context.flag("keepdim");
  const bool tells_place = context.node().outputs.at(1) != kNoId;
  if (tells_place && !x.get_element_type().is_real()) {
    throw Refusal("the place of an integer that may occur more than once");
  }
  const auto top = std::make_shared<ov::op::v11::TopK>(key_of(x, Mode::MAX), int_scalar(k), axis,
                                                       Mode::MIN, ov::op::TopKSortType::SORT_VALUES,
                                                       ov::element::i64, true);
  const Output last = make<op::Slice>(top->output(1), int_list({k - 1}), int_list({k}),
                                      int_list({1}), int_list({axis}));
  return {without_axis(element_at({x, last, axis}), axis, keep), without_axis(last, axis, keep)};
}

const TensorSpec& self_of(const Graph& graph, const Node& node) {
  return graph.value(std::get<ValueRef>(node.args.at(0)).id).spec;
}
bool has_rank(const Graph& graph, const Node& node) { return !self_of(graph, node).dims.empty(); }
bool floating(const Graph& graph, const Node& node) {
  return has_rank(graph, node) && is_floating(self_of(graph, node).dtype);
}
bool integral(const Graph& graph, const Node& node) {
  return has_rank(graph, node) && !is_floating(self_of(graph, node).dtype);
}

constexpr Translation kTable[] = {
    {"aten.max.dim", with_dim<Mode::MAX>, has_rank},
    {"aten.min.dim", with_dim<Mode::MIN>, has_rank},
    {"aten.argmax.default", index_only<Mode::MAX>, has_rank},
    {"aten.argmin.default", index_only<Mode::MIN>, has_rank},
    {"aten.aminmax.default", both_extremes},
    {"aten.kthvalue.default", kth_value},
    {"aten.amax.default", reduce<Mode::MAX>, floating},
    {"aten.amin.default", reduce<Mode::MIN>, floating},
    {"aten.max.default", reduce<Mode::MAX>, floating},
    {"aten.min.default", reduce<Mode::MIN>, floating},
    {"aten.amax.default", reduce_integers<Mode::MAX>, integral},
    {"aten.amin.default", reduce_integers<Mode::MIN>, integral},
    {"aten.max.default", reduce_integers<Mode::MAX>, integral},
    {"aten.min.default", reduce_integers<Mode::MIN>, integral},
};

}  // namespace

std::span<const Translation> extrema_translations() { return kTable; }

}  // namespace changeaware::ovn
