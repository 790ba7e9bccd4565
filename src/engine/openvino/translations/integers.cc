#include "engine/openvino/translations/integers.h"

namespace changeaware::ovn {
namespace {

Output zero_like(const Output& x) { return convert(int_scalar(0), x.get_element_type()); }

}  // namespace

Output truncated_quotient(const Output& a, const Output& b) {
  const Output estimate = make<op::Divide>(a, b, false);
  const Output rest = make<op::Subtract>(a, make<op::Multiply>(estimate, b));
  const Output closer = make<op::Add>(estimate, make<op::Divide>(rest, b, false));
  // The estimate may still be one too large in magnitude: then the remainder's sign is not a's.
  const Output remainder = make<op::Subtract>(a, make<op::Multiply>(closer, b));
  const Output zero = zero_like(a);
  const Output wrong = make<op::LogicalAnd>(
      make<op::NotEqual>(remainder, zero),
      make<op::LogicalXor>(make<op::Less>(remainder, zero), make<op::Less>(a, zero)));
  const Output same_sign = make<op::LogicalNot>(
      make<op::LogicalXor>(make<op::Less>(remainder, zero), make<op::Less>(b, zero)));
  const Output one = convert(int_scalar(1), a.get_element_type());
  const Output step = make<op::Select>(same_sign, one, make<op::Negative>(one));
  return make<op::Select>(wrong, make<op::Add>(closer, step), closer);
}

Output floored_quotient(const Output& a, const Output& b) {
  const Output quotient = truncated_quotient(a, b);
  const Output remainder = make<op::Subtract>(a, make<op::Multiply>(quotient, b));
  const Output zero = zero_like(a);
  const Output below = make<op::LogicalAnd>(
      make<op::NotEqual>(remainder, zero),
      make<op::LogicalXor>(make<op::Less>(remainder, zero), make<op::Less>(b, zero)));
  return make<op::Subtract>(quotient, convert(below, a.get_element_type()));
}

}  // namespace changeaware::ovn
