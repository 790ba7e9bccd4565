// Comparisons of integers.
//
// OpenVINO compares integers as float32, which holds them exactly up to 2^24 only. Their difference
// is computed in 32-bit integers, and its sign survives float32.
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

template <class Op>
ov::OutputVector compare(const OpContext& context) {
  const Output a = convert(context.tensor("self"), ov::element::i64);
  const Output b = convert(context.tensor("other"), ov::element::i64);
  return {make<Op>(make<op::Subtract>(a, b), int_scalar(0))};
}

bool is_wide(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

bool is_integer_argument(const Graph& graph, const Argument& a) {
  if (const auto* ref = std::get_if<ValueRef>(&a)) {
    const Value& value = graph.value(ref->id);
    return value.kind == ValueKind::kSymInt ||
           (value.kind == ValueKind::kTensor && !is_floating(value.spec.dtype));
  }
  return std::holds_alternative<int64_t>(a) || std::holds_alternative<bool>(a);
}

bool compares_integers(const Graph& graph, const Node& node) {
  const auto* self = std::get_if<ValueRef>(&node.args.at(0));
  const auto* other = std::get_if<ValueRef>(&node.args.at(1));
  const bool wide = (self != nullptr && is_wide(graph.value(self->id).spec.dtype)) ||
                    (other != nullptr && is_wide(graph.value(other->id).spec.dtype));
  return wide && is_integer_argument(graph, node.args[0]) &&
         is_integer_argument(graph, node.args[1]);
}

constexpr Translation kTable[] = {
    {"aten.eq.Tensor", compare<op::Equal>, compares_integers},
    {"aten.eq.Scalar", compare<op::Equal>, compares_integers},
    {"aten.ne.Tensor", compare<op::NotEqual>, compares_integers},
    {"aten.ne.Scalar", compare<op::NotEqual>, compares_integers},
    {"aten.lt.Tensor", compare<op::Less>, compares_integers},
    {"aten.lt.Scalar", compare<op::Less>, compares_integers},
    {"aten.le.Tensor", compare<op::LessEqual>, compares_integers},
    {"aten.le.Scalar", compare<op::LessEqual>, compares_integers},
    {"aten.gt.Tensor", compare<op::Greater>, compares_integers},
    {"aten.gt.Scalar", compare<op::Greater>, compares_integers},
    {"aten.ge.Tensor", compare<op::GreaterEqual>, compares_integers},
    {"aten.ge.Scalar", compare<op::GreaterEqual>, compares_integers},
};

}  // namespace

std::span<const Translation> comparison_translations() { return kTable; }

}  // namespace changeaware::ovn
