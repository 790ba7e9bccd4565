// The logarithm of the gamma function and its derivatives, by their asymptotic series.
//
// The series hold for large arguments: a recurrence moves an argument up, a reflection turns a
// negative one round.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;
constexpr int64_t kShift = 10;

bool single(Formula& f, ValueId x) {
  if (f.ok() && f.dtype(x) == DType::kFloat32) return true;
  f.b.refuse("not of float32");
  return false;
}

// c[0] + c[1] x + c[2] x^2 + …
ValueId polynomial(Formula& f, ValueId x, const std::vector<double>& c) {
  ValueId sum = f.full(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = f.plus(f.mul(sum, x), c[i]);
  return sum;
}

ValueId inverse(Formula& f, ValueId x) { return f.div(f.full(x, 1.0), x); }

ValueId power(Formula& f, ValueId x, int64_t n) {
  ValueId out = x;
  for (int64_t i = 1; i < n; ++i) out = f.mul(out, x);
  return out;
}

// x minus the nearest whole number: what sines of pi x depend on.
ValueId fraction(Formula& f, ValueId x) { return f.sub(x, f.b.unary("aten.round.default", x)); }

// Of x >= 0.5: Stirling's series at z, less the logarithms of what lies between x and z.
ValueId log_gamma_positive(Formula& f, ValueId x) {
  const ValueId small = f.is("lt", x, 8.0);
  const ValueId z = f.where(small, f.plus(x, 8.0), x);
  const ValueId factor = f.where_or(small, x, 1.0);
  ValueId product = factor;
  for (int64_t k = 1; k < 8; ++k) product = f.mul(product, f.plus(factor, static_cast<double>(k)));
  const ValueId between = f.where_or(small, f.log(product), 0.0);
  const ValueId w = inverse(f, z);
  const ValueId series = f.mul(w, polynomial(f, f.mul(w, w), {1.0 / 12, -1.0 / 360, 1.0 / 1260}));
  const ValueId main = f.sub(f.mul(f.plus(z, -0.5), f.log(z)), z);
  return f.sub(f.plus(f.add(main, series), 0.5 * std::log(2 * kPi)), between);
}

ValueId log_gamma(Formula& f, ValueId x) {
  const ValueId reflected = f.is("lt", x, 0.5);
  const ValueId value = log_gamma_positive(f, f.where(reflected, f.plus(f.neg(x), 1.0), x));
  const ValueId sine = f.abs(f.b.unary("aten.sin.default", f.times(fraction(f, x), kPi)));
  const ValueId turned = f.sub(f.plus(f.neg(f.log(sine)), std::log(kPi)), value);
  const ValueId finite = f.where(reflected, turned, value);
  return f.number_where(f.is("eq", f.abs(x), kInfinity), kInfinity, finite);
}

void lgamma(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  if (single(f, x)) b.result(log_gamma(f, x));
}

// The sum of log_gamma(x - j / 2) for j below p, and p (p - 1) / 4 log(pi).
void mvlgamma(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const int64_t p = f.integer("p");
  if (!single(f, x) || p < 1 || p > 16) return b.refuse("an unusual p");
  ValueId sum = log_gamma(f, x);
  for (int64_t j = 1; j < p; ++j) {
    sum = f.add(sum, log_gamma(f, f.plus(x, -0.5 * static_cast<double>(j))));
  }
  b.result(f.plus(sum, 0.25 * static_cast<double>(p * (p - 1)) * std::log(kPi)));
}

// The sum over k below kShift of (x + k)^-s.
ValueId first_terms(Formula& f, ValueId x, int64_t s) {
  ValueId sum = power(f, inverse(f, x), s);
  for (int64_t k = 1; k < kShift; ++k) {
    sum = f.add(sum, power(f, inverse(f, f.plus(x, static_cast<double>(k))), s));
  }
  return sum;
}

// Of the derivative of order `n` of pi cot(pi x): the polynomial in cot(pi x), times pi^(n + 1).
std::vector<double> cotangent_derivative(int64_t n) {
  std::vector<double> p{0.0, kPi};
  for (int64_t k = 0; k < n; ++k) {
    std::vector<double> next(p.size() + 1, 0.0);
    for (size_t i = 1; i < p.size(); ++i) {
      const double slope = -kPi * static_cast<double>(i) * p[i];
      next[i - 1] += slope;
      next[i + 1] += slope;
    }
    p = next;
  }
  return p;
}

ValueId digamma_positive(Formula& f, ValueId x) {
  const ValueId z = f.plus(x, static_cast<double>(kShift));
  const ValueId w = inverse(f, z);
  const ValueId w2 = f.mul(w, w);
  const ValueId series = f.mul(w2, polynomial(f, w2, {1.0 / 12, -1.0 / 120, 1.0 / 252}));
  const ValueId main = f.sub(f.sub(f.log(z), f.times(w, 0.5)), series);
  return f.sub(main, first_terms(f, x, 1));
}

// Hurwitz's zeta function by the Euler-Maclaurin sum, times (-1)^(n + 1) n!, with s = n + 1.
ValueId polygamma_positive(Formula& f, ValueId x, int64_t n) {
  const auto s = static_cast<double>(n + 1);
  const ValueId w = inverse(f, f.plus(x, static_cast<double>(kShift)));
  const double third = s * (s + 1) * (s + 2);
  const ValueId series = polynomial(
      f, w, {1 / (s - 1), 0.5, s / 12, 0.0, -third / 720, 0.0, third * (s + 3) * (s + 4) / 30240});
  const ValueId zeta = f.add(first_terms(f, x, n + 1), f.mul(power(f, w, n), series));
  return f.times(zeta, (n % 2 == 1 ? 1.0 : -1.0) * std::tgamma(s));
}

ValueId poly_gamma(Formula& f, ValueId x, int64_t n) {
  const ValueId reflected = f.is("lt", x, n == 0 ? 0.0 : 0.5);
  const ValueId y = f.where(reflected, f.plus(f.neg(x), 1.0), x);
  const ValueId value = n == 0 ? digamma_positive(f, y) : polygamma_positive(f, y, n);
  const ValueId angle = f.times(fraction(f, x), kPi);
  const ValueId cotangent =
      f.div(f.b.unary("aten.cos.default", angle), f.b.unary("aten.sin.default", angle));
  const ValueId mirrored = n % 2 == 0 ? value : f.neg(value);
  const ValueId turned = f.sub(mirrored, polynomial(f, cotangent, cotangent_derivative(n)));
  return f.where(reflected, turned, value);
}

void digamma(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  if (!single(f, x)) return;
  const ValueId value = poly_gamma(f, x, 0);
  // A pole between values of either sign, but for 0 itself.
  const ValueId pole = f.both(f.is("lt", x, 0.0), f.is("eq", fraction(f, x), 0.0));
  const ValueId no_pole = f.number_where(pole, std::numeric_limits<double>::quiet_NaN(), value);
  b.result(f.where(f.is("eq", x, 0.0), f.neg(inverse(f, x)), no_pole));
}

void polygamma(Builder& b) {
  const auto n = int_argument(b.node(), "n");
  if (!n || *n < 0 || *n > 8) return b.refuse("an unusual order");
  if (*n == 0) return digamma(b);
  Formula f(b);
  const ValueId x = f.operand("self");
  if (!single(f, x)) return;
  const ValueId pole = f.both(f.is("lt", x, 0.5), f.is("eq", fraction(f, x), 0.0));
  b.result(f.number_where(pole, *n % 2 == 1 ? kInfinity : -kInfinity, poly_gamma(f, x, *n)));
}

constexpr Decomposition kGamma[] = {
    {"aten.lgamma.default", lgamma},
    {"aten.special_gammaln.default", lgamma},
    {"aten.mvlgamma.default", mvlgamma},
    {"aten.special_multigammaln.default", mvlgamma},
    {"aten.digamma.default", digamma},
    {"aten.special_digamma.default", digamma},
    {"aten.special_psi.default", digamma},
    {"aten.polygamma.default", polygamma},
    {"aten.special_polygamma.default", polygamma},
};

}  // namespace

std::span<const Decomposition> gamma_decompositions() { return kGamma; }

}  // namespace changeaware
