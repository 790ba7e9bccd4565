// Quantised arithmetic: operators that PyTorch defines in Python alone. Each step is PyTorch's own,
// in its order and dtypes, so that the bits are.
// Source: torch/ao/quantization/fx/_decomposed.py and determine_qparams() in
// torch/ao/quantization/utils.py.
#include <type_traits>

#include "base/errors.h"
#include "normalise/decompositions/decompositions.h"
#include "normalise/inplace.h"
#include "tensor/element.h"

namespace changeaware {
namespace {

// An elementwise operator of two tensors, in the dtype that PyTorch promotes them to.
ValueId mixed(Builder& b, std::string_view name, ValueId x, ValueId y) {
  if (!b.status().ok()) return kNoId;
  const auto dtype = promote(
      {{b.spec(x).dtype, b.spec(x).dims.empty()}, {b.spec(y).dtype, b.spec(y).dims.empty()}});
  if (!dtype) {
    b.refuse("its operands have no common dtype");
    return kNoId;
  }
  TensorSpec spec;
  spec.dtype = *dtype;
  spec.dims = broadcast_dims(b.spec(x).dims, b.spec(y).dims);
  return b.op(name, {{"self", ref(x)}, {"other", ref(y)}}, std::move(spec));
}

ValueId multiply(Builder& b, ValueId x, Argument number) {
  return b.binary("aten.mul.Tensor", x, std::move(number));
}
ValueId add(Builder& b, ValueId x, Argument number) {
  return b.binary("aten.add.Tensor", x, std::move(number));
}
ValueId rounded(Builder& b, ValueId x) { return b.unary("aten.round.default", x); }
ValueId clamped(Builder& b, ValueId x, Argument min, Argument max) {
  if (!b.status().ok()) return kNoId;
  return b.op("aten.clamp.default",
              {{"self", ref(x)}, {"min", std::move(min)}, {"max", std::move(max)}},
              b.with_dims(x, b.spec(x).dims));
}
ValueId reshaped(Builder& b, ValueId x, const std::vector<int64_t>& sizes, std::vector<Dim> dims) {
  return b.op("aten.reshape.default", {{"self", ref(x)}, {"shape", sizes}},
              b.with_dims(x, std::move(dims)));
}

// The one number in an argument: given, or a constant tensor's; None when a run computes it.
Argument known_number(Builder& b, std::string_view name) {
  const Argument now = b.arg(name);
  const auto* value = std::get_if<ValueRef>(&now);
  if (value == nullptr) return now;
  const Tensor* tensor = b.constant_of(value->id);
  if (tensor == nullptr || tensor->numel() != 1) return None{};
  Argument number = None{};
  with_element_type(tensor->dtype(), [&](auto type) {
    using T = decltype(type);
    const T element = *reinterpret_cast<const T*>(tensor->data());
    if constexpr (std::is_floating_point_v<T>) {
      number = static_cast<double>(element);
    } else {
      number = static_cast<int64_t>(element);
    }
  });
  return number;
}

// A tensor of one element as one of rank 0.
ValueId one_element(Builder& b, std::string_view name, DType dtype) {
  const ValueId id = b.tensor(name);
  if (id == kNoId) return id;
  return reshaped(b, b.cast(id, dtype), {}, {});
}

ValueId float_input(Builder& b) {
  const ValueId x = b.tensor("input");
  if (x == kNoId) return x;
  if (!is_floating(b.spec(x).dtype) || b.spec(x).dtype == DType::kFloat64) {
    b.refuse("its input is not of at most 32 bits");
    return kNoId;
  }
  return b.cast(x, DType::kFloat32);
}

void finish_quantize(Builder& b, ValueId shifted) {
  const Argument min = known_number(b, "quant_min");
  const Argument max = known_number(b, "quant_max");
  if (is_none(min) || is_none(max)) return b.refuse("its bounds are computed");
  const ValueId bounded = clamped(b, shifted, min, max);
  b.result("aten.to.dtype", {{"self", ref(bounded)}, {"dtype", b.arg("dtype")}});
}

// clamp(round(x * (1 / scale)) + zero_point)
void quantize_per_tensor(Builder& b) {
  const ValueId x = float_input(b);
  const Argument scale = known_number(b, "scale");
  const Argument zero_point = known_number(b, "zero_point");
  if (x == kNoId) return;
  if (const auto* number = std::get_if<double>(&scale); number && !is_none(zero_point)) {
    return finish_quantize(b, add(b, rounded(b, multiply(b, x, 1.0 / *number)), zero_point));
  }
  // A number of a tensor is 64 bits wide until it meets one.
  const ValueId inverse =
      b.cast(b.unary("aten.reciprocal.default", one_element(b, "scale", DType::kFloat64)),
             DType::kFloat32);
  const ValueId shift = one_element(b, "zero_point", DType::kInt64);
  finish_quantize(
      b, mixed(b, "aten.add.Tensor", rounded(b, mixed(b, "aten.mul.Tensor", x, inverse)), shift));
}

// (x - zero_point) * scale, in the result's dtype
void dequantize_per_tensor(Builder& b) {
  const ValueId given = b.tensor("input");
  if (given == kNoId) return;
  const DType dtype = b.result_spec().dtype;
  const ValueId x = b.cast(given, dtype);
  const Argument scale = known_number(b, "scale");
  const Argument zero_point = known_number(b, "zero_point");
  if (!is_none(scale) && !is_none(zero_point)) {
    const ValueId centred = b.binary("aten.sub.Tensor", x, zero_point);
    return b.result("aten.mul.Tensor", {{"self", ref(centred)}, {"other", scale}});
  }
  const ValueId shift = one_element(b, "zero_point", DType::kInt64);
  const ValueId factor = b.cast(one_element(b, "scale", DType::kFloat64), dtype);
  b.result("aten.mul.Tensor",
           {{"self", ref(mixed(b, "aten.sub.Tensor", x, shift))}, {"other", ref(factor)}});
}

// One element per channel, in the place of the channels of `x`.
ValueId per_channel(Builder& b, ValueId x, ValueId parameters) {
  const auto axis = int_argument(b.node(), "axis");
  if (!b.status().ok()) return kNoId;
  const auto rank = static_cast<int64_t>(b.spec(x).dims.size());
  const std::vector<Dim>& dims = b.spec(parameters).dims;
  if (!axis || *axis < -rank || *axis >= rank || dims.size() != 1 || !dims[0].fixed()) {
    b.refuse("its parameters are not one per channel");
    return kNoId;
  }
  const auto place = static_cast<size_t>(*axis < 0 ? *axis + rank : *axis);
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  std::vector<Dim> spread(static_cast<size_t>(rank), Dim{1, ""});
  sizes[place] = dims[0].size;
  spread[place] = dims[0];
  return reshaped(b, parameters, sizes, spread);
}

void quantize_per_channel(Builder& b) {
  const ValueId x = float_input(b);
  const ValueId scales = b.tensor("scales");
  const ValueId zero_points = b.tensor("zero_points");
  const ValueId inverse = b.unary("aten.reciprocal.default", per_channel(b, x, scales));
  const ValueId steps = rounded(b, mixed(b, "aten.mul.Tensor", x, inverse));
  finish_quantize(b, mixed(b, "aten.add.Tensor", steps, per_channel(b, x, zero_points)));
}

void finish_dequantize(Builder& b, ValueId x, ValueId zero_points, ValueId scales) {
  if (zero_points != kNoId) x = mixed(b, "aten.sub.Tensor", x, zero_points);
  const ValueId scaled = b.cast(mixed(b, "aten.mul.Tensor", x, scales), b.result_spec().dtype);
  b.result(scaled);
}

void dequantize_per_channel(Builder& b) {
  const ValueId x = b.tensor("input");
  const ValueId scales = per_channel(b, x, b.tensor("scales"));
  const bool shifted = !is_none(b.arg("zero_points"));
  const ValueId zero_points = shifted ? per_channel(b, x, b.tensor("zero_points")) : kNoId;
  if (b.status().ok()) finish_dequantize(b, x, zero_points, scales);
}

// clamp(round(x * (1 / scale) + zero_point))
void quantize_per_token(Builder& b) {
  const ValueId x = b.tensor("input");
  const ValueId inverse = b.unary("aten.reciprocal.default", b.tensor("scales"));
  const ValueId scaled = mixed(b, "aten.mul.Tensor", x, inverse);
  finish_quantize(b, rounded(b, mixed(b, "aten.add.Tensor", scaled, b.tensor("zero_points"))));
}

void dequantize_per_token(Builder& b) {
  const ValueId x = b.tensor("input");
  const ValueId zero_points = b.tensor("zero_points");
  if (b.status().ok()) finish_dequantize(b, x, zero_points, b.tensor("scales"));
}

// Rows of group_size elements, each with a scale and a zero point of its own.
struct Groups {
  ValueId rows = kNoId;
  int64_t count = 0;
};
Groups grouped(Builder& b) {
  const ValueId x = b.tensor("input");
  const auto size = int_argument(b.node(), "group_size");
  if (!b.status().ok()) return {};
  const std::vector<Dim>& dims = b.spec(x).dims;
  const bool fits = size && *size > 1 && dims.size() == 2 && dims[0].fixed() && dims[1].fixed() &&
                    dims[1].size % *size == 0;
  if (!fits) {
    b.refuse("its rows are no whole number of groups");
    return {};
  }
  const int64_t count = dims[0].size * (dims[1].size / *size);
  return {reshaped(b, x, {count, *size}, {Dim{count, ""}, Dim{*size, ""}}), count};
}
ValueId column(Builder& b, std::string_view name, int64_t count) {
  const ValueId id = b.tensor(name);
  return b.status().ok() ? reshaped(b, id, {count, 1}, {Dim{count, ""}, Dim{1, ""}}) : kNoId;
}

void dequantize_per_channel_group(Builder& b) {
  const Groups groups = grouped(b);
  if (!b.status().ok()) return;
  ValueId x = groups.rows;
  if (!is_none(b.arg("zero_points"))) {
    x = mixed(b, "aten.sub.Tensor", x, column(b, "zero_points", groups.count));
  }
  const ValueId scaled = mixed(b, "aten.mul.Tensor", x, column(b, "scales", groups.count));
  if (!b.status().ok()) return;
  const TensorSpec spec = b.result_spec();
  b.result(b.cast(reshaped(b, scaled, spec.hint_shape(), spec.dims), spec.dtype));
}

// Of a tensor of rank 0: at most (least) zero.
ValueId beyond_zero(Builder& b, std::string_view name, ValueId x) {
  if (!b.status().ok()) return kNoId;
  return b.binary(name, x, b.scalar(0.0, b.spec(x).dtype));
}

struct Extremes {
  ValueId min = kNoId;  // at most 0
  ValueId max = kNoId;  // at least 0
};
Extremes extremes(Builder& b) {
  const ValueId x = b.tensor("input");
  if (x == kNoId) return {};
  const TensorSpec scalar = b.with_dims(x, {});
  const ValueId min = b.op("aten.min.default", {{"self", ref(x)}}, scalar);
  const ValueId max = b.op("aten.max.default", {{"self", ref(x)}}, scalar);
  return {beyond_zero(b, "aten.minimum.default", min), beyond_zero(b, "aten.maximum.default", max)};
}

// At least eps, as a tensor of one float32 element meets it.
ValueId at_least_eps(Builder& b, ValueId scale) {
  if (!b.status().ok()) return kNoId;
  const ValueId eps = b.op(
      "aten.full.default",
      {{"size", std::vector<int64_t>{1}}, {"fill_value", b.arg("eps")}, {"dtype", DType::kFloat32}},
      TensorSpec{DType::kFloat32, {Dim{1, ""}}, {}});
  return mixed(b, "aten.maximum.default", scale, eps);
}

std::optional<int64_t> range_of(Builder& b) {
  const auto min = int_argument(b.node(), "quant_min");
  const auto max = int_argument(b.node(), "quant_max");
  if (!min || !max || *min >= *max) {
    b.refuse("its bounds are no range");
    return std::nullopt;
  }
  return *max - *min;
}

void choose_qparams(Builder& b) {
  const Extremes found = extremes(b);
  const auto range = range_of(b);
  if (!range) return;
  const ValueId width = b.binary("aten.sub.Tensor", found.max, found.min);
  const ValueId scale =
      at_least_eps(b, b.binary("aten.div.Tensor", width, Argument(static_cast<double>(*range))));
  const ValueId steps =
      b.cast(rounded(b, mixed(b, "aten.div.Tensor", found.min, scale)), DType::kInt32);
  const ValueId shift = add(b, b.unary("aten.neg.default", steps), b.arg("quant_min"));
  const ValueId bounded = clamped(b, shift, b.arg("quant_min"), b.arg("quant_max"));
  b.result(b.cast(scale, DType::kFloat64));
  b.further_result(1, b.cast(bounded, DType::kInt64));
}

void choose_qparams_symmetric(Builder& b) {
  const Extremes found = extremes(b);
  const auto range = range_of(b);
  if (!range) return;
  const ValueId reach =
      b.binary("aten.maximum.default", b.unary("aten.neg.default", found.min), found.max);
  const ValueId scale = at_least_eps(
      b, b.binary("aten.div.Tensor", reach, Argument(static_cast<double>(*range) / 2)));
  const auto* dtype = std::get_if<DType>(&argument(b.node(), "dtype"));
  const int64_t shift = dtype != nullptr && *dtype == DType::kUInt8 ? 128 : 0;
  b.result(b.cast(scale, DType::kFloat64));
  b.further_result(
      1, b.op("aten.full.default",
              {{"size", std::vector<int64_t>{1}}, {"fill_value", shift}, {"dtype", DType::kInt64}},
              TensorSpec{DType::kInt64, {Dim{1, ""}}, {}}));
}

void convert_element_type(Builder& b) {
  b.result("aten.to.dtype", {{"self", b.arg("input")}, {"dtype", b.arg("dtype")}});
}

constexpr Decomposition kQuantized[] = {
    {"quantized_decomposed.quantize_per_tensor.default", quantize_per_tensor},
    {"quantized_decomposed.quantize_per_tensor.tensor", quantize_per_tensor},
    {"quantized_decomposed.quantize_per_tensor.tensor2", quantize_per_tensor},
    {"quantized_decomposed.dequantize_per_tensor.default", dequantize_per_tensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor", dequantize_per_tensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", dequantize_per_tensor},
    {"quantized_decomposed.quantize_per_channel.default", quantize_per_channel},
    {"quantized_decomposed.dequantize_per_channel.default", dequantize_per_channel},
    {"quantized_decomposed.quantize_per_token.default", quantize_per_token},
    {"quantized_decomposed.dequantize_per_token.default", dequantize_per_token},
    {"quantized_decomposed.dequantize_per_channel_group.default", dequantize_per_channel_group},
    {"quantized_decomposed.choose_qparams.tensor", choose_qparams},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", choose_qparams_symmetric},
    {"quantized_decomposed.convert_element_type.no_fuse", convert_element_type},
};

}  // namespace

std::span<const Decomposition> quantized_definitions() { return kQuantized; }

}  // namespace changeaware
