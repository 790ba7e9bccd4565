// Short forms for the OpenVINO operations that translations are made of.
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <openvino/opsets/opset13.hpp>
#include <utility>
#include <vector>

#include "engine/openvino/translations/translation.h"

namespace changeaware::ovn {

namespace op = ov::opset13;

template <class Op, class... Args>
Output make(Args&&... args) {
  return std::make_shared<Op>(std::forward<Args>(args)...)->output(0);
}

template <class T>
Output scalar(ov::element::Type type, T value) {
  return op::Constant::create(type, ov::Shape{}, std::vector<T>{value})->output(0);
}
inline Output scalar(ov::element::Type type, bool value) {
  return op::Constant::create(type, ov::Shape{}, std::vector<int>{value ? 1 : 0})->output(0);
}
inline Output int_scalar(int64_t value) { return scalar<int64_t>(ov::element::i64, value); }
inline Output int_list(const std::vector<int64_t>& values) {
  return op::Constant::create(ov::element::i64, ov::Shape{values.size()}, values)->output(0);
}

// `x` itself when it has the type already.
inline Output convert(const Output& x, ov::element::Type type) {
  return x.get_element_type() == type ? x : make<op::Convert>(x, type);
}

// As a boolean: x != 0.
inline Output is_nonzero(const Output& x) {
  if (x.get_element_type() == ov::element::boolean) return x;
  return make<op::NotEqual>(x, convert(int_scalar(0), x.get_element_type()));
}

inline Output reshape(const Output& x, const std::vector<int64_t>& shape) {
  return make<op::Reshape>(x, int_list(shape), false);
}

inline Output transpose(const Output& x, const std::vector<int64_t>& order) {
  return make<op::Transpose>(x, int_list(order));
}

// -1 → rank - 1; a dimension of a rank 0 tensor counts as of rank 1, as in PyTorch.
inline int64_t wrap_dim(int64_t dim, size_t rank) {
  const auto r = static_cast<int64_t>(rank == 0 ? 1 : rank);
  return dim < 0 ? dim + r : dim;
}

// The argument `name` is missing, None, or an empty list: every dimension is meant.
std::vector<int64_t> reduced_dims(const OpContext& context, std::string_view name, size_t rank);

}  // namespace changeaware::ovn
