// Tools of decompositions that move elements of tensors whose sizes are fixed.
//
// After an error, or where a size is not fixed, they refuse and give kNoId, as Builder does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "normalise/decompositions/builder.h"

namespace changeaware {

inline bool complex_numbers(DType dtype) {
  return dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

// The sizes, when they are all fixed.
std::optional<Shape> fixed_shape(const Builder& b, ValueId id);
std::optional<Shape> fixed_result_shape(const Builder& b);
std::vector<Dim> fixed_dims(const Shape& shape);
int64_t element_count(const Shape& shape);

// `dim` counted from the start; refuses one that is outside. A tensor without dimensions has one.
size_t axis_of(Builder& b, int64_t dim, size_t rank);
// The tensors of a list argument.
std::vector<ValueId> tensor_list(const Builder& b, std::string_view name);
// The tensor argument in the dtype of the result, which is where PyTorch computes.
ValueId operand(Builder& b, std::string_view name);

ValueId reshape(Builder& b, ValueId x, const Shape& shape);
ValueId expand(Builder& b, ValueId x, const Shape& shape);
ValueId swap_dims(Builder& b, ValueId x, size_t a, size_t c);
ValueId concatenated(Builder& b, const std::vector<ValueId>& parts, size_t axis);
ValueId int_constant(Builder& b, std::string_view name, const Shape& shape,
                     const std::vector<int64_t>& values);
// Rows `index` (one dimension, from 0 up) along `axis`.
ValueId select_rows(Builder& b, ValueId x, size_t axis, ValueId index);
// Indices in [-extent, extent) as indices in [0, extent).
ValueId from_start(Builder& b, ValueId index, int64_t extent);
// Elements of `x`, in row-major order; the place behind the last is a zero.
ValueId pick(Builder& b, ValueId x, const std::vector<int64_t>& places, const Shape& shape);

// For every index into `shape`, in row-major order, what `place` gives.
std::vector<int64_t> places_of(const Shape& shape,
                               const std::function<int64_t(const Shape& index)>& place);
// The row-major position of `index` in `shape`.
int64_t position(const Shape& shape, const Shape& index);

}  // namespace changeaware
