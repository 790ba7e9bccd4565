#include "engine/openvino/metadata_check.h"

#include <openvino/opsets/opset13.hpp>
#include <sstream>

#include "base/errors.h"
#include "engine/openvino/element_types.h"

namespace changeaware::ovn {
namespace {

std::string text(const ov::element::Type& type, const ov::PartialShape& shape) {
  std::ostringstream out;
  out << type << shape;
  return out.str();
}

bool widens(ov::element::Type from, ov::element::Type to) {
  return from.is_integral_number() && from.is_signed() && to.is_integral_number() &&
         to.is_signed() && from.bitwidth() < to.bitwidth();
}

}  // namespace

std::optional<ov::element::Type> described_type(const Value& value) {
  switch (value.kind) {
    case ValueKind::kTensor: return element_type(value.spec.dtype);
    case ValueKind::kSymInt: return ov::element::i64;
    case ValueKind::kSymFloat: return ov::element::f64;
    case ValueKind::kSymBool: return ov::element::boolean;
  }
  return std::nullopt;
}

ov::PartialShape described_shape(const Value& value) {
  ov::PartialShape shape = ov::PartialShape(std::vector<ov::Dimension>{});
  if (value.kind != ValueKind::kTensor) return shape;
  for (const Dim& d : value.spec.dims) {
    shape.push_back(d.fixed() ? ov::Dimension(d.size) : ov::Dimension::dynamic());
  }
  return shape;
}

Result<ov::Output<ov::Node>> as_described(const ov::Output<ov::Node>& output, const Value& value) {
  const auto type = described_type(value);
  const ov::PartialShape shape = described_shape(value);
  const ov::element::Type got = output.get_element_type();
  const ov::PartialShape& got_shape = output.get_partial_shape();
  const bool type_is_known = got.is_static();
  const bool retyped = type && type_is_known && got != *type && widens(got, *type);
  if (!type || (type_is_known && got != *type && !retyped) || !got_shape.compatible(shape)) {
    return unsupported("'{}': expected {}, got {}", value.name,
                       text(type.value_or(ov::element::dynamic), shape), text(got, got_shape));
  }
  if (!retyped) return output;
  return std::make_shared<ov::opset13::Convert>(output, *type)->output(0);
}

}  // namespace changeaware::ovn
