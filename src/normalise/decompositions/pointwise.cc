// Elementwise operators by their formulas.
#include <cmath>
#include <limits>
#include <numbers>

#include "normalise/decompositions/decompositions.h"

namespace changeaware {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool floating(const Builder& b, ValueId id) { return id != kNoId && is_floating(b.spec(id).dtype); }

// The operand in the dtype of the result, which is where PyTorch computes.
ValueId operand(Builder& b, std::string_view name) {
  const ValueId id = b.tensor(name);
  return id == kNoId ? id : b.cast(id, b.result_spec().dtype);
}

// Toward zero. ceil keeps the sign of zero.
ValueId truncated(Builder& b, ValueId x) {
  return b.where(b.compare("aten.lt.Scalar", x, int64_t{0}), b.unary("aten.ceil.default", x),
                 b.unary("aten.floor.default", x));
}

void trunc(Builder& b) {
  const ValueId x = b.tensor("self");
  b.result(floating(b, x) ? truncated(b, x) : x);
}

void frac(Builder& b) {
  const ValueId x = b.tensor("self");
  if (!floating(b, x)) return b.refuse("of integers");
  b.result("aten.sub.Tensor", {{"self", ref(x)}, {"other", ref(truncated(b, x))}});
}

void sgn(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x != kNoId && b.spec(x).dtype == DType::kBool) return b.result(x);
  b.result("aten.sign.default", {{"self", ref(x)}});
}

// self + value * tensor1 / tensor2
void addcdiv(Builder& b) {
  const ValueId numerator = b.binary("aten.mul.Scalar", operand(b, "tensor1"), b.arg("value"));
  const ValueId quotient = b.binary("aten.div.Tensor", numerator, operand(b, "tensor2"));
  b.result("aten.add.Tensor", {{"self", ref(operand(b, "self"))}, {"other", ref(quotient)}});
}

// x <= threshold ? value : x; NaN stays.
void threshold(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId) return;
  const ValueId below = b.compare("aten.le.Scalar", x, b.arg("threshold"));
  b.result("aten.where.self", {{"condition", ref(below)},
                               {"self", ref(b.scalar(b.arg("value"), b.spec(x).dtype))},
                               {"other", ref(x)}});
}

// -lambd <= x <= lambd ? 0 : x
void hardshrink(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId) return;
  const ValueId near = b.compare("aten.le.Scalar", b.unary("aten.abs.default", x), b.arg("lambd"));
  b.result("aten.where.self", {{"condition", ref(near)},
                               {"self", ref(b.scalar(int64_t{0}, b.spec(x).dtype))},
                               {"other", ref(x)}});
}

// x > lambd ? x - lambd : x < -lambd ? x + lambd : x * 0
void softshrink(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto lambda = b.number("lambd");
  if (x == kNoId || !lambda) return b.refuse("its lambd is computed");
  const ValueId outside = b.where(b.compare("aten.lt.Scalar", x, -*lambda),
                                  b.binary("aten.add.Scalar", x, Argument(*lambda)),
                                  b.binary("aten.mul.Scalar", x, Argument(int64_t{0})));
  b.result("aten.where.self", {{"condition", ref(b.compare("aten.gt.Scalar", x, *lambda))},
                               {"self", ref(b.binary("aten.sub.Scalar", x, Argument(*lambda)))},
                               {"other", ref(outside)}});
}

void is_infinity(Builder& b, double infinity) {
  const ValueId x = b.tensor("self");
  if (floating(b, x)) return b.result("aten.eq.Scalar", {{"self", ref(x)}, {"other", infinity}});
  if (!b.result_spec().fixed()) return b.refuse("a size is symbolic");
  b.result(
      "aten.full.default",
      {{"size", b.result_spec().hint_shape()}, {"fill_value", false}, {"dtype", DType::kBool}});
}
void isposinf(Builder& b) { is_infinity(b, kInfinity); }
void isneginf(Builder& b) { is_infinity(b, -kInfinity); }

double largest(DType dtype) {
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::max();
  if (dtype == DType::kFloat16) return 65504.0;
  if (dtype == DType::kBFloat16) return 0x1.fep+127;
  return static_cast<double>(std::numeric_limits<float>::max());
}

void nan_to_num(Builder& b) {
  const ValueId x = b.tensor("self");
  if (!floating(b, x)) return b.result(x);
  const DType dtype = b.spec(x).dtype;
  const double high = b.number("posinf").value_or(largest(dtype));
  const double low = b.number("neginf").value_or(-largest(dtype));
  const ValueId no_nan = b.where(b.compare("aten.ne.Tensor", x, ref(x)),
                                 b.scalar(b.number("nan").value_or(0.0), dtype), x);
  const ValueId no_high =
      b.where(b.compare("aten.eq.Scalar", x, kInfinity), b.scalar(high, dtype), no_nan);
  b.result("aten.where.self", {{"condition", ref(b.compare("aten.eq.Scalar", x, -kInfinity))},
                               {"self", ref(b.scalar(low, dtype))},
                               {"other", ref(no_high)}});
}

void exp2(Builder& b) {
  b.result("aten.pow.Scalar", {{"self", 2.0}, {"exponent", ref(operand(b, "self"))}});
}

void deg2rad(Builder& b) {
  b.result("aten.mul.Scalar",
           {{"self", ref(operand(b, "self"))}, {"other", std::numbers::pi / 180.0}});
}

// log(x / (1 - x)), x clamped to [eps, 1 - eps] when eps is given.
void logit(Builder& b) {
  ValueId x = operand(b, "self");
  if (const auto eps = b.number("eps"); eps && x != kNoId) {
    x = b.op("aten.clamp.default", {{"self", ref(x)}, {"min", *eps}, {"max", 1.0 - *eps}},
             b.with_dims(x, b.spec(x).dims));
  }
  const ValueId rest = b.binary("aten.rsub.Scalar", x, Argument(1.0));
  b.result("aten.log.default", {{"self", ref(b.binary("aten.div.Tensor", x, rest))}});
}

// 0 where x is 0, unless y is NaN; else x * log(y).
void xlogy(Builder& b) {
  const ValueId x = operand(b, "self");
  const ValueId y = operand(b, "other");
  if (x == kNoId || y == kNoId) return;
  const ValueId product = b.binary("aten.mul.Tensor", x, b.unary("aten.log.default", y));
  const ValueId inner =
      b.where(b.compare("aten.eq.Scalar", x, int64_t{0}), b.scalar(0.0, b.spec(x).dtype), product);
  b.result("aten.where.self", {{"condition", ref(b.compare("aten.ne.Tensor", y, ref(y)))},
                               {"self", ref(y)},
                               {"other", ref(inner)}});
}

// The other operand where one is NaN.
void nan_aware(Builder& b, std::string_view op) {
  const ValueId x = operand(b, "self");
  const ValueId y = operand(b, "other");
  if (!floating(b, x)) return b.result(op, {{"self", ref(x)}, {"other", ref(y)}});
  const ValueId best = b.binary(op, x, y);
  const ValueId inner = b.where(b.compare("aten.ne.Tensor", y, ref(y)), x, best);
  b.result("aten.where.self", {{"condition", ref(b.compare("aten.ne.Tensor", x, ref(x)))},
                               {"self", ref(y)},
                               {"other", ref(inner)}});
}
void fmax(Builder& b) { nan_aware(b, "aten.maximum.default"); }
void fmin(Builder& b) { nan_aware(b, "aten.minimum.default"); }

// where with numbers: they become tensors of the result's dtype.
ValueId branch(Builder& b, std::string_view name) {
  const DType dtype = b.result_spec().dtype;
  const Argument value = b.arg(name);
  const auto* tensor = std::get_if<ValueRef>(&value);
  return tensor == nullptr ? b.scalar(value, dtype) : b.cast(tensor->id, dtype);
}
void where_numbers(Builder& b) {
  b.result("aten.where.self", {{"condition", b.arg("condition")},
                               {"self", ref(branch(b, "self"))},
                               {"other", ref(branch(b, "other"))}});
}

constexpr Decomposition kPointwise[] = {
    {"aten.trunc.default", trunc},
    {"aten.fix.default", trunc},
    {"aten.frac.default", frac},
    {"aten.sgn.default", sgn},
    {"aten.addcdiv.default", addcdiv},
    {"aten.threshold.default", threshold},
    {"aten.hardshrink.default", hardshrink},
    {"aten.softshrink.default", softshrink},
    {"aten.isposinf.default", isposinf},
    {"aten.isneginf.default", isneginf},
    {"aten.nan_to_num.default", nan_to_num},
    {"aten.exp2.default", exp2},
    {"aten.special_exp2.default", exp2},
    {"aten.deg2rad.default", deg2rad},
    {"aten.logit.default", logit},
    {"aten.special_logit.default", logit},
    {"aten.xlogy.Tensor", xlogy},
    {"aten.special_xlogy.default", xlogy},
    {"aten.fmax.default", fmax},
    {"aten.fmin.default", fmin},
    {"aten.where.Scalar", where_numbers},
    {"aten.where.ScalarOther", where_numbers},
    {"aten.where.ScalarSelf", where_numbers},
};

}  // namespace

std::span<const Decomposition> pointwise_decompositions() { return kPointwise; }

}  // namespace changeaware
