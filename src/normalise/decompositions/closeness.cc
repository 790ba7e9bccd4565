// Signs, closeness and other elementwise operators, by their formulas.
#include <cmath>
#include <limits>
#include <numbers>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The tensor argument, or 0-d where it is a number, in the dtype of the result.
ValueId number_or_tensor(Formula& f, std::string_view name) {
  const Argument value = f.b.arg(name);
  const DType dtype = f.b.result_spec().dtype;
  const auto* tensor = std::get_if<ValueRef>(&value);
  return tensor == nullptr ? f.b.scalar(value, dtype) : f.b.cast(tensor->id, dtype);
}

// x == 0 ? values : x > 0. NaN gives 0.
void heaviside(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId values = f.operand("values");
  if (f.ok() && f.dtype(x) == DType::kBool) return b.result(f.either(x, values));
  const ValueId step = f.b.cast(f.is("gt", x, 0.0), f.dtype(x));
  b.result(f.where(f.is("eq", x, 0.0), values, step));
}

// Equal, or finite and |x - y| <= atol + |rtol * y|.
void isclose(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  const ValueId y = b.tensor("other");
  const double rtol = f.number("rtol");
  const double atol = f.number("atol");
  const bool equal_nan = f.flag("equal_nan");
  if (!f.ok() || f.dtype(x) != f.dtype(y)) return b.refuse("of different dtypes");
  ValueId close = f.compare("eq", x, y);
  if (equal_nan && f.floating(x)) {
    close = f.either(close, f.both(f.is_nan(x), f.is_nan(y)));
  }
  if (rtol == 0 && atol == 0) return b.result(close);
  const ValueId p = f.floating(x) ? x : b.cast(x, DType::kFloat32);
  const ValueId q = f.floating(y) ? y : b.cast(y, DType::kFloat32);
  const ValueId allowed = f.plus(f.abs(f.times(q, rtol)), atol);
  const ValueId actual = f.abs(f.sub(p, q));
  const ValueId within = f.both(f.is("lt", actual, kInfinity), f.compare("le", actual, allowed));
  b.result(f.either(close, within));
}

// self * 2^other
void ldexp(Builder& b) {
  Formula f(b);
  const ValueId power =
      b.op("aten.pow.Scalar", {{"self", 2.0}, {"exponent", ref(f.operand("other"))}},
           b.with_dtype(b.tensor("other"), b.result_spec().dtype));
  b.result(f.mul(f.operand("self"), power));
}

// 0 where x is 0, unless y is NaN; else x * log(1 + y).
void xlog1py(Builder& b) {
  Formula f(b);
  const ValueId x = number_or_tensor(f, "self");
  const ValueId y = number_or_tensor(f, "other");
  const ValueId product = f.mul(x, f.log1p(y));
  const ValueId inner = f.number_where(f.is("eq", x, 0.0), 0.0, product);
  b.result(f.where(f.is_nan(y), y, inner));
}
void xlogy_number(Builder& b) {
  Formula f(b);
  const ValueId x = number_or_tensor(f, "self");
  const ValueId y = number_or_tensor(f, "other");
  const ValueId inner = f.number_where(f.is("eq", x, 0.0), 0.0, f.mul(x, f.log(y)));
  b.result(f.where(f.is_nan(y), y, inner));
}

// sin(pi x) / (pi x); 1 at 0.
void sinc(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId angle = f.times(x, std::numbers::pi);
  const ValueId ratio = f.div(b.unary("aten.sin.default", angle), angle);
  b.result(f.number_where(f.is("eq", x, 0.0), 1.0, ratio));
}

// Without overflow: the larger leg times sqrt(1 + ratio^2); infinite where a leg is.
void hypot(Builder& b) {
  Formula f(b);
  const ValueId x = f.abs(f.operand("self"));
  const ValueId y = f.abs(f.operand("other"));
  if (!f.ok() || f.dtype(x) != DType::kFloat32) return b.refuse("not of float32");
  const ValueId large = f.maximum(x, y);
  const ValueId ratio = f.div(f.minimum(x, y), large);
  const ValueId length = f.mul(large, f.sqrt(f.plus(f.mul(ratio, ratio), 1.0)));
  const ValueId finite = f.where(f.is("eq", large, 0.0), large, length);
  const ValueId infinite = f.either(f.is("eq", x, kInfinity), f.is("eq", y, kInfinity));
  b.result(f.number_where(infinite, kInfinity, finite));
}

// x > 0: -x log(x); 0: 0; below: -inf; NaN stays.
void entr(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId positive = f.neg(f.mul(x, f.log(x)));
  const ValueId rest = f.number_where(f.is("eq", x, 0.0), 0.0, positive);
  b.result(f.number_where(f.is("lt", x, 0.0), -kInfinity, rest));
}

// 1 / -0 is -inf. Of NaN, whose sign means nothing, it is false.
ValueId negative(Formula& f, ValueId x) {
  const ValueId below = f.is("lt", x, 0.0);
  if (!f.ok() || !f.floating(x)) return below;
  const ValueId inverse = f.div(f.full(x, 1.0), x);
  return f.either(below, f.is("eq", inverse, -kInfinity));
}
void signbit(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  if (f.ok() && f.dtype(x) == DType::kBool) {
    return b.result(f.both(x, f.opposite(x)));
  }
  b.result(negative(f, x));
}

void copysign(Builder& b) {
  Formula f(b);
  const ValueId size = f.abs(f.operand("self"));
  const ValueId sign = number_or_tensor(f, "other");
  b.result(f.where(negative(f, sign), f.neg(size), size));
}

// grad * (mask * scale)
void native_dropout_backward(Builder& b) {
  Formula f(b);
  const ValueId kept = f.times(f.operand("mask"), f.number("scale"));
  b.result(f.mul(f.operand("grad_output"), kept));
}

void square(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  b.result(f.mul(x, x));
}

// The sign of a bool is itself.
void sign_of_bool(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId || b.spec(x).dtype != DType::kBool) return b.refuse("engines know it");
  b.result(x);
}
void identity_of_real(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId || complex_numbers(b.spec(x).dtype)) return b.refuse("of complex numbers");
  b.result(x);
}
void isreal(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto shape = fixed_shape(b, x);
  if (!shape || complex_numbers(b.spec(x).dtype)) return b.refuse("of complex numbers");
  b.result("aten.full.default", {{"size", *shape}, {"fill_value", true}, {"dtype", DType::kBool}});
}

// Rounded to decimals: scaled, rounded to even, scaled back.
void round_decimals(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const auto decimals = f.integer("decimals");
  if (!f.ok() || f.dtype(x) != DType::kFloat32 || decimals < -30 || decimals > 30) {
    return b.refuse("not of float32");
  }
  if (decimals == 0) return b.result("aten.round.default", {{"self", ref(x)}});
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  // A product with the inverse would move numbers halfway between two.
  const auto divided = [&](ValueId y) { return b.binary("aten.div.Scalar", y, Argument(scale)); };
  const ValueId scaled = decimals > 0 ? f.times(x, scale) : divided(x);
  const ValueId rounded = b.unary("aten.round.default", scaled);
  b.result(decimals > 0 ? divided(rounded) : f.times(rounded, scale));
}

// (1 + erf(x / sqrt(2))) / 2
void ndtr(Builder& b) {
  Formula f(b);
  const ValueId error = b.unary("aten.erf.default", f.over(f.operand("self"), std::numbers::sqrt2));
  b.result(f.times(f.plus(error, 1.0), 0.5));
}

// The softmax of nothing but -inf is 0.
void safe_softmax(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const int64_t dim = f.integer("dim");
  if (!f.ok() || f.rank(x) == 0) return b.refuse("of a number");
  const ValueId soft =
      b.op("aten.softmax.int", {{"self", ref(x)}, {"dim", dim}}, b.with_dims(x, b.spec(x).dims));
  const ValueId some = f.any(f.is("ne", x, -kInfinity), dim, true);
  b.result(f.where_or(some, soft, 0.0));
}

// Bounds that are tensors, of bool: the smaller of two is both of them.
void clamp_bool(Builder& b, std::string_view bound, std::string_view op) {
  const ValueId x = b.tensor("self");
  const ValueId y = b.tensor(bound);
  if (x == kNoId || y == kNoId || b.spec(x).dtype != DType::kBool ||
      b.spec(y).dtype != DType::kBool) {
    return b.refuse("engines know it");
  }
  b.result(op, {{"self", ref(x)}, {"other", ref(y)}});
}
void clamp_max(Builder& b) { clamp_bool(b, "max", "aten.logical_and.default"); }
void clamp_min(Builder& b) { clamp_bool(b, "min", "aten.logical_or.default"); }

constexpr Decomposition kCloseness[] = {
    {"aten.heaviside.default", heaviside},
    {"aten.isclose.default", isclose},
    {"aten.ldexp.Tensor", ldexp},
    {"aten.special_xlog1py.default", xlog1py},
    {"aten.special_xlog1py.other_scalar", xlog1py},
    {"aten.special_xlog1py.self_scalar", xlog1py},
    {"aten.xlogy.Scalar_Self", xlogy_number},
    {"aten.xlogy.Scalar_Other", xlogy_number},
    {"aten.sinc.default", sinc},
    {"aten.special_sinc.default", sinc},
    {"aten.hypot.default", hypot},
    {"aten.special_entr.default", entr},
    {"aten.signbit.default", signbit},
    {"aten.copysign.Tensor", copysign},
    {"aten.copysign.Scalar", copysign},
    {"aten.native_dropout_backward.default", native_dropout_backward},
    {"aten.square.default", square},
    {"aten.sign.default", sign_of_bool},
    {"aten.conj.default", identity_of_real},
    {"aten.conj_physical.default", identity_of_real},
    {"aten.isreal.default", isreal},
    {"aten.round.decimals", round_decimals},
    {"aten.special_ndtr.default", ndtr},
    {"aten._safe_softmax.default", safe_softmax},
    {"aten.clamp_max.Tensor", clamp_max},
    {"aten.clamp_min.Tensor", clamp_min},
};

}  // namespace

std::span<const Decomposition> closeness_decompositions() { return kCloseness; }

}  // namespace changeaware
