// Differences of neighbours, and integrals and gradients made of them.
// Source: PyTorch documentation of torch.diff, torch.trapezoid and torch.gradient.
#include <algorithm>
#include <array>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

// One step along a dimension that may be symbolic.
void first_difference(Builder& b, ValueId x, int64_t dim) {
  const auto part = [&](Argument start, Argument end) {
    TensorSpec spec = b.result_spec();
    return b.op(
        "aten.slice.Tensor",
        {{"self", ref(x)}, {"dim", dim}, {"start", std::move(start)}, {"end", std::move(end)}},
        std::move(spec));
  };
  const ValueId later = part(int64_t{1}, None{});
  const ValueId earlier = part(int64_t{0}, int64_t{-1});
  b.result("aten.sub.Tensor", {{"self", ref(later)}, {"other", ref(earlier)}});
}

ValueId step(Formula& f, ValueId x, int64_t dim) {
  const ValueId later = f.slice_from(x, dim, 1);
  const ValueId earlier = f.slice(x, dim, 0, -1);
  return f.dtype(x) == DType::kBool ? f.compare("ne", later, earlier) : f.sub(later, earlier);
}

void diff(Builder& b) {
  Formula f(b);
  const ValueId self = f.operand("self");
  const int64_t dim = f.integer("dim");
  const int64_t n = f.integer("n");
  const size_t axis = f.axis(self, dim);
  if (!f.ok() || f.rank(self) == 0) return b.refuse("of a number");
  const bool extended = f.has("prepend") || f.has("append");
  if (n == 0) return b.result(self);
  if (n == 1 && !extended && f.dtype(self) != DType::kBool && !b.spec(self).dims[axis].fixed()) {
    return first_difference(b, self, dim);
  }
  std::vector<ValueId> parts{self};
  if (f.has("prepend")) parts.insert(parts.begin(), f.operand("prepend"));
  if (f.has("append")) parts.push_back(f.operand("append"));
  ValueId x = extended ? f.cat(parts, dim) : self;
  const int64_t steps = std::min(n, f.size(x, dim));
  for (int64_t i = 0; f.ok() && i < steps; ++i) x = step(f, x, dim);
  b.result(x);
}

// x[i] + x[i + 1]
ValueId neighbours(Formula& f, ValueId x, int64_t dim) {
  return f.add(f.slice(x, dim, 0, -1), f.slice_from(x, dim, 1));
}

// The widths of the strips: differences of x, which is one for all rows or as `y`.
ValueId widths(Formula& f, ValueId x, ValueId y, int64_t dim) {
  if (f.rank(x) == 1 && f.rank(y) > 0) {
    Shape shape(f.rank(y), 1);
    shape[f.axis(y, dim)] = f.size(x, 0);
    x = f.reshape(x, shape);
  }
  while (f.ok() && f.rank(x) < f.rank(y)) x = f.unsqueeze(x, 0);
  return step(f, x, dim);
}

struct Points {
  ValueId y = kNoId, x = kNoId;
};

// Integers stay integers while they are exact.
Points points(Formula& f) {
  Points out{f.b.tensor("y"), f.b.tensor("x")};
  if (!f.ok()) return out;
  const bool floating = f.floating(out.y) || f.floating(out.x);
  const DType common = floating ? f.b.result_spec().dtype : DType::kInt64;
  return {f.b.cast(out.y, common), f.b.cast(out.x, common)};
}

ValueId in_result_dtype(Formula& f, ValueId x) { return f.b.cast(x, f.b.result_spec().dtype); }

bool integrable(Formula& f, ValueId y, int64_t dim) {
  if (f.ok() && (f.rank(y) == 0 || f.size(y, dim) < 2 || f.numel(y) == 0)) {
    f.b.refuse("of no strips");
  }
  return f.ok();
}

void trapezoid_x(Builder& b) {
  Formula f(b);
  const Points p = points(f);
  const int64_t dim = f.integer("dim");
  if (!integrable(f, p.y, dim)) return;
  const ValueId areas = f.mul(neighbours(f, p.y, dim), widths(f, p.x, p.y, dim));
  b.result(f.reduction_over(in_result_dtype(f, f.sum(areas, {dim})), 2));
}

void trapezoid_dx(Builder& b) {
  Formula f(b);
  const ValueId y = f.operand("y");
  const int64_t dim = f.integer("dim");
  if (!integrable(f, y, dim)) return;
  const ValueId ends = f.times(f.add(f.select(y, dim, 0), f.select(y, dim, -1)), 0.5);
  b.result(f.times(f.sub(f.sum(y, {dim}), ends), f.number("dx")));
}

void cumulative_trapezoid_x(Builder& b) {
  Formula f(b);
  const Points p = points(f);
  const int64_t dim = f.integer("dim");
  if (!integrable(f, p.y, dim)) return;
  const ValueId half = f.over(in_result_dtype(f, widths(f, p.x, p.y, dim)), 2);
  b.result(f.cumsum(f.mul(half, in_result_dtype(f, neighbours(f, p.y, dim))), dim));
}

void cumulative_trapezoid_dx(Builder& b) {
  Formula f(b);
  const ValueId y = f.operand("y");
  const int64_t dim = f.integer("dim");
  if (!integrable(f, y, dim)) return;
  b.result(f.cumsum(f.times(neighbours(f, y, dim), f.number("dx") / 2), dim));
}

// x[to] - x[from] over `length` elements each, of integers without rounding.
ValueId change(Formula& f, ValueId x, int64_t dim, int64_t to, int64_t from, int64_t length) {
  return in_result_dtype(
      f, f.sub(f.slice(x, dim, to, to + length), f.slice(x, dim, from, from + length)));
}

// Of three elements.
ValueId weighted(Formula& f, ValueId x, int64_t dim, int64_t from,
                 const std::array<double, 3>& weights) {
  const auto term = [&](int64_t i) {
    const ValueId part = in_result_dtype(f, f.slice(x, dim, from + i, from + i + 1));
    return f.times(part, weights[static_cast<size_t>(i)]);
  };
  return f.add(f.add(term(0), term(1)), term(2));
}

// Central differences inside, one-sided ones of the given order at the ends.
ValueId slope(Formula& f, ValueId x, int64_t dim, double spacing, int64_t order) {
  const int64_t n = f.size(x, dim);
  if (f.ok() && (n < order + 1 || order < 1 || order > 2 || f.numel(x) == 0 || spacing == 0)) {
    f.b.refuse("of another form");
  }
  if (!f.ok()) return kNoId;
  const bool first = order == 1;
  const ValueId begin =
      first ? change(f, x, dim, 1, 0, 1) : weighted(f, x, dim, 0, {-1.5, 2, -0.5});
  const ValueId end =
      first ? change(f, x, dim, n - 1, n - 2, 1) : weighted(f, x, dim, n - 3, {0.5, -2, 1.5});
  std::vector<ValueId> parts{f.over(begin, spacing), f.over(end, spacing)};
  if (n > 2) {
    const ValueId inner = f.over(change(f, x, dim, 2, 0, n - 2), spacing);
    parts.insert(parts.begin() + 1, f.over(inner, 2));
  }
  return f.cat(parts, dim);
}

// One number for every dimension, or one each.
std::vector<double> spacings(Formula& f, size_t count) {
  if (f.b.node().op->arg_index("spacing") < 0) return std::vector<double>(count, 1.0);
  const Argument given = f.b.arg("spacing");
  if (is_none(given)) return std::vector<double>(count, 1.0);
  if (const auto number = f.b.number("spacing")) return std::vector<double>(count, *number);
  if (const auto* list = std::get_if<std::vector<double>>(&given)) return *list;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&given)) {
    return std::vector<double>(ints->begin(), ints->end());
  }
  f.b.refuse("its spacing is computed");
  return {};
}

void gradient(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  if (!f.ok() || f.dtype(x) == DType::kBool) return b.refuse("of another dtype");
  std::vector<int64_t> dims = f.integers("dim");
  if (is_none(b.arg("dim"))) {
    for (size_t d = 0; d < f.rank(x); ++d) dims.push_back(static_cast<int64_t>(d));
  }
  const std::vector<double> widths = spacings(f, dims.size());
  if (widths.size() != dims.size() || dims.size() != b.node().outputs.size()) {
    return b.refuse("of another form");
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    b.further_result(i, slope(f, x, dims[i], widths[i], f.integer("edge_order")));
  }
}

constexpr Decomposition kDifferences[] = {
    {"aten.diff.default", diff},
    {"aten.trapezoid.x", trapezoid_x},
    {"aten.trapezoid.dx", trapezoid_dx},
    {"aten.trapz.x", trapezoid_x},
    {"aten.trapz.dx", trapezoid_dx},
    {"aten.cumulative_trapezoid.x", cumulative_trapezoid_x},
    {"aten.cumulative_trapezoid.dx", cumulative_trapezoid_dx},
    {"aten.gradient.scalarint", gradient},
    {"aten.gradient.scalararray", gradient},
    {"aten.gradient.array", gradient},
    {"aten.gradient.scalarrayint", gradient},
    {"aten.gradient.scalarrayarray", gradient},
};

}  // namespace

std::span<const Decomposition> difference_decompositions() { return kDifferences; }

}  // namespace changeaware
