// Running products, maxima, minima and log-sum-exps: every element is combined with the one 1, 2,
// 4, … places before it, so that a row of n takes log2(n) steps.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

struct Row {
  int64_t axis, length;
};

Row row_of(const OpContext& context) {
  const Shape shape = context.fixed_shape_of("self");
  const int64_t axis = wrap_dim(context.integer("dim"), shape.size());
  return {axis, shape.empty() ? 1 : shape[static_cast<size_t>(axis)]};
}

Output part(const Output& x, const Row& row, int64_t begin, int64_t end) {
  return make<op::Slice>(x, int_list({begin}), int_list({end}), int_list({1}),
                         int_list({row.axis}));
}

// The first `step` elements of `x` stay; the others become combine(earlier, later).
template <class Combine>
Output scanned(Output x, const Row& row, const Combine& combine) {
  for (int64_t step = 1; step < row.length; step *= 2) {
    const Output earlier = part(x, row, 0, row.length - step);
    const Output later = part(x, row, step, row.length);
    const Output head = part(x, row, 0, step);
    x = make<op::Concat>(ov::OutputVector{head, combine(earlier, later)}, row.axis);
  }
  return x;
}

ov::OutputVector product(const OpContext& context) {
  const Output x = convert(context.tensor("self"), context.result_type());
  if (x.get_element_type() == ov::element::boolean) throw Refusal("bool results");
  return {scanned(x, row_of(context),
                  [](const Output& a, const Output& b) { return make<op::Multiply>(a, b); })};
}

// log(exp(a) + exp(b)), also of infinities and NaN.
Output log_sum(const Output& a, const Output& b) {
  const Output zero = scalar(ov::element::f32, 0.0f);
  const Output one = scalar(ov::element::f32, 1.0f);
  // Of equal infinities the difference would be NaN.
  const Output difference = make<op::Select>(make<op::Equal>(a, b), zero, make<op::Subtract>(a, b));
  const Output ratio = make<op::Exp>(make<op::Negative>(make<op::Abs>(difference)));
  const Output sum =
      make<op::Add>(make<op::Maximum>(a, b), make<op::Log>(make<op::Add>(one, ratio)));
  const Output numbers = make<op::LogicalAnd>(make<op::Equal>(a, a), make<op::Equal>(b, b));
  return make<op::Select>(numbers, sum, make<op::Add>(a, b));
}

ov::OutputVector log_sum_exp(const OpContext& context) {
  return {scanned(context.tensor("self"), row_of(context), log_sum)};
}

ov::OutputVector log_add_exp(const OpContext& context) {
  return {log_sum(context.tensor("self"), context.tensor("other"))};
}

enum class Wanted { kLargest, kSmallest };

// Whether the later element is taken: the last of equals, and every NaN.
Output takes_later(const Output& earlier, const Output& later, Wanted wanted) {
  const Output difference = wanted == Wanted::kLargest ? make<op::Subtract>(later, earlier)
                                                       : make<op::Subtract>(earlier, later);
  const Output zero = convert(int_scalar(0), later.get_element_type());
  if (!later.get_element_type().is_real()) return make<op::GreaterEqual>(difference, zero);
  const Output better = wanted == Wanted::kLargest ? make<op::GreaterEqual>(later, earlier)
                                                   : make<op::LessEqual>(later, earlier);
  const Output is_nan = make<op::NotEqual>(later, later);
  const Output was_number = make<op::Equal>(earlier, earlier);
  return make<op::LogicalOr>(is_nan, make<op::LogicalAnd>(was_number, better));
}

template <Wanted wanted>
ov::OutputVector extreme(const OpContext& context) {
  const Shape shape = context.fixed_shape_of("self");
  const bool is_bool = context.result().dtype == DType::kBool;
  Output x = context.tensor("self");
  if (is_bool) x = convert(x, ov::element::i32);
  if (shape.empty()) return {context.tensor("self"), int_scalar(0)};
  const Row row = row_of(context);
  std::vector<int64_t> sizes(shape.size(), 1), positions(static_cast<size_t>(row.length));
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i);
  sizes[static_cast<size_t>(row.axis)] = row.length;
  Output at = make<op::Broadcast>(reshape(int_list(positions), sizes), int_list(shape));
  for (int64_t step = 1; step < row.length; step *= 2) {
    const Output earlier = part(x, row, 0, row.length - step);
    const Output later = part(x, row, step, row.length);
    const Output takes = takes_later(earlier, later, wanted);
    const auto next = [&](const Output& all, const Output& a, const Output& b) {
      return make<op::Concat>(
          ov::OutputVector{part(all, row, 0, step), make<op::Select>(takes, b, a)}, row.axis);
    };
    at = next(at, part(at, row, 0, row.length - step), part(at, row, step, row.length));
    x = next(x, earlier, later);
  }
  return {is_bool ? is_nonzero(x) : x, at};
}

constexpr Translation kTable[] = {
    {"aten.cumprod.default", product},
    {"aten.logcumsumexp.default", log_sum_exp},
    {"aten.logaddexp.default", log_add_exp},
    {"aten.cummax.default", extreme<Wanted::kLargest>},
    {"aten.cummin.default", extreme<Wanted::kSmallest>},
};

}  // namespace

std::span<const Translation> running_translations() { return kTable; }

}  // namespace changeaware::ovn
