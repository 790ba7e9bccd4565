// Chebyshev polynomials of a degree that is computed: by their trigonometric and hyperbolic forms.
//
// With a = |x|: T, U, V, W of degree n are cosines and sines of multiples of acos(a), and for a > 1
// of exponentials of acosh(a). A negative x turns the sign of odd degrees and swaps V and W.
#include <numbers>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

enum class Kind { kT, kU, kV, kW };

struct Terms {
  ValueId a = kNoId;      // |x|
  ValueId angle = kNoId;  // acos(a)
  ValueId log = kNoId;    // acosh(a)
  ValueId n = kNoId;
};

ValueId inside(Formula& f, const Terms& t, Kind kind) {
  const auto sin = [&](ValueId x) { return f.b.unary("aten.sin.default", x); };
  const auto cos = [&](ValueId x) { return f.b.unary("aten.cos.default", x); };
  const auto multiple = [&](double more) { return f.mul(f.plus(t.n, more), t.angle); };
  const ValueId half = f.times(t.angle, 0.5);
  switch (kind) {
    case Kind::kT: return cos(multiple(0.0));
    case Kind::kU: return f.div(sin(multiple(1.0)), sin(t.angle));
    case Kind::kV: return f.div(cos(multiple(0.5)), cos(half));
    default: return f.div(sin(multiple(0.5)), sin(half));
  }
}

// exp(n t) times what cosh and sinh leave of the smaller exponential.
ValueId outside(Formula& f, const Terms& t, Kind kind) {
  const auto rest = [&](double times_n, double more) {
    return f.neg(f.mul(f.plus(f.times(t.n, times_n), more), t.log));
  };
  const auto sum = [&](ValueId x) { return f.plus(f.exp(x), 1.0); };
  const auto difference = [&](ValueId x) { return f.b.unary("aten.expm1.default", x); };
  const ValueId growth = f.exp(f.mul(t.n, t.log));
  const ValueId once = f.neg(t.log);
  ValueId factor = kNoId;
  switch (kind) {
    case Kind::kT: factor = f.times(sum(rest(2.0, 0.0)), 0.5); break;
    case Kind::kU:
      factor = f.div(difference(rest(2.0, 2.0)), difference(f.times(once, 2.0)));
      break;
    case Kind::kV: factor = f.div(sum(rest(2.0, 1.0)), sum(once)); break;
    default: factor = f.div(difference(rest(2.0, 1.0)), difference(once)); break;
  }
  return f.mul(growth, factor);
}

ValueId at_one(Formula& f, const Terms& t, Kind kind) {
  if (kind == Kind::kU) return f.plus(t.n, 1.0);
  if (kind == Kind::kW) return f.plus(f.times(t.n, 2.0), 1.0);
  return f.full(t.n, 1.0);
}

ValueId of_absolute(Formula& f, const Terms& t, Kind kind) {
  const ValueId beyond = f.where(f.is("gt", t.a, 1.0), outside(f, t, kind), inside(f, t, kind));
  return f.where(f.is("eq", t.a, 1.0), at_one(f, t, kind), beyond);
}

ValueId number_or_tensor(Formula& f, std::string_view name) {
  const Argument value = f.b.arg(name);
  const DType dtype = f.b.result_spec().dtype;
  const auto* tensor = std::get_if<ValueRef>(&value);
  return tensor == nullptr ? f.b.scalar(value, dtype) : f.b.cast(tensor->id, dtype);
}

void chebyshev(Builder& b, Kind kind, bool shifted) {
  Formula f(b);
  ValueId x = number_or_tensor(f, "x");
  if (!f.ok() || f.dtype(x) != DType::kFloat32) return b.refuse("not of float32");
  if (shifted) x = f.plus(f.times(x, 2.0), -1.0);
  const ValueId given = number_or_tensor(f, "n");
  Terms t;
  t.n = f.where(f.is("lt", given, 0.0), b.unary("aten.ceil.default", given),
                b.unary("aten.floor.default", given));
  t.a = f.abs(x);
  const ValueId below = f.plus(f.neg(t.a), 1.0);
  t.angle = f.times(b.unary("aten.asin.default", f.sqrt(f.times(below, 0.5))), 2.0);
  const ValueId above = f.plus(t.a, -1.0);
  t.log = f.log1p(f.add(above, f.sqrt(f.mul(above, f.plus(t.a, 1.0)))));
  const ValueId positive = of_absolute(f, t, kind);
  const Kind mirrored = kind == Kind::kV ? Kind::kW : kind == Kind::kW ? Kind::kV : kind;
  const ValueId mirror = mirrored == kind ? positive : of_absolute(f, t, mirrored);
  const ValueId half = f.times(t.n, 0.5);
  const ValueId odd = f.compare("ne", half, b.unary("aten.floor.default", half));
  const ValueId negative = f.where(odd, f.neg(mirror), mirror);
  const ValueId value = f.where(f.is("lt", x, 0.0), negative, positive);
  const ValueId some = f.number_where(f.is("eq", t.n, 0.0), 1.0, value);
  b.result(f.number_where(f.is("lt", t.n, 0.0), 0.0, some));
}

template <Kind kind, bool shifted>
void polynomial(Builder& b) {
  chebyshev(b, kind, shifted);
}

constexpr Decomposition kChebyshev[] = {
    {"aten.special_chebyshev_polynomial_t.default", polynomial<Kind::kT, false>},
    {"aten.special_chebyshev_polynomial_t.x_scalar", polynomial<Kind::kT, false>},
    {"aten.special_chebyshev_polynomial_t.n_scalar", polynomial<Kind::kT, false>},
    {"aten.special_chebyshev_polynomial_u.default", polynomial<Kind::kU, false>},
    {"aten.special_chebyshev_polynomial_u.x_scalar", polynomial<Kind::kU, false>},
    {"aten.special_chebyshev_polynomial_u.n_scalar", polynomial<Kind::kU, false>},
    {"aten.special_chebyshev_polynomial_v.default", polynomial<Kind::kV, false>},
    {"aten.special_chebyshev_polynomial_v.x_scalar", polynomial<Kind::kV, false>},
    {"aten.special_chebyshev_polynomial_v.n_scalar", polynomial<Kind::kV, false>},
    {"aten.special_chebyshev_polynomial_w.default", polynomial<Kind::kW, false>},
    {"aten.special_chebyshev_polynomial_w.x_scalar", polynomial<Kind::kW, false>},
    {"aten.special_chebyshev_polynomial_w.n_scalar", polynomial<Kind::kW, false>},
    {"aten.special_shifted_chebyshev_polynomial_t.default", polynomial<Kind::kT, true>},
    {"aten.special_shifted_chebyshev_polynomial_u.default", polynomial<Kind::kU, true>},
    {"aten.special_shifted_chebyshev_polynomial_v.default", polynomial<Kind::kV, true>},
    {"aten.special_shifted_chebyshev_polynomial_w.default", polynomial<Kind::kW, true>},
};

}  // namespace

std::span<const Decomposition> chebyshev_decompositions() { return kChebyshev; }

}  // namespace changeaware
