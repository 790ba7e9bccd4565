// Sizes, and Python's arithmetic on them. A symbolic number is an int64 tensor of rank 0.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

ov::OutputVector size(const OpContext& context) {
  const size_t rank = context.spec_of("self").dims.size();
  const Output shape = make<op::ShapeOf>(context.tensor("self"), ov::element::i64);
  return {
      make<op::Gather>(shape, int_scalar(wrap_dim(context.integer("dim"), rank)), int_scalar(0))};
}

bool is_int(const Output& x) { return x.get_element_type() == ov::element::i64; }

std::pair<Output, Output> integers_of(const OpContext& context) {
  const Output a = context.tensor("a");
  const Output b = context.tensor("b");
  if (!is_int(a) || !is_int(b)) throw Refusal("symbolic numbers that are not integers");
  return {a, b};
}

template <class Op>
ov::OutputVector binary(const OpContext& context) {
  const auto [a, b] = integers_of(context);
  return {make<Op>(a, b)};
}

// Sizes are positive nearly always, but their differences need not be.
Output floor_quotient(const Output& a, const Output& b) {
  const Output quotient = make<op::Divide>(a, b, false);
  const Output rest = make<op::Subtract>(a, make<op::Multiply>(quotient, b));
  const Output zero = int_scalar(0);
  const Output below = make<op::LogicalAnd>(
      make<op::NotEqual>(rest, zero),
      make<op::LogicalXor>(make<op::Less>(rest, zero), make<op::Less>(b, zero)));
  return make<op::Subtract>(quotient, convert(below, ov::element::i64));
}

ov::OutputVector floordiv(const OpContext& context) {
  const auto [a, b] = integers_of(context);
  return {floor_quotient(a, b)};
}

ov::OutputVector mod(const OpContext& context) {
  const auto [a, b] = integers_of(context);
  return {make<op::Subtract>(a, make<op::Multiply>(floor_quotient(a, b), b))};
}

ov::OutputVector negative(const OpContext& context) {
  const Output a = context.tensor("a");
  if (!is_int(a)) throw Refusal("symbolic numbers that are not integers");
  return {make<op::Negative>(a)};
}

ov::OutputVector same(const OpContext& context) { return {context.tensor("a")}; }

constexpr Translation kTable[] = {
    {"aten.sym_size.int", size},
    {"_operator.add", binary<op::Add>},
    {"_operator.sub", binary<op::Subtract>},
    {"_operator.mul", binary<op::Multiply>},
    {"_operator.floordiv", floordiv},
    {"_operator.mod", mod},
    {"_operator.neg", negative},
    {"_operator.pos", same},
    {"_operator.eq", binary<op::Equal>},
    {"_operator.ne", binary<op::NotEqual>},
    {"_operator.lt", binary<op::Less>},
    {"_operator.le", binary<op::LessEqual>},
    {"_operator.gt", binary<op::Greater>},
    {"_operator.ge", binary<op::GreaterEqual>},
    {"torch.sym_max", binary<op::Maximum>},
    {"torch.sym_min", binary<op::Minimum>},
};

}  // namespace

std::span<const Translation> symbolic_translations() { return kTable; }

}  // namespace changeaware::ovn
