// Medians and quantiles by sorting.
// Source: PyTorch documentation of torch.median, torch.nanmedian and torch.quantile.
#include <limits>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

// Rows [count, n] of what is reduced, in ascending order; NaN counts as infinite.
struct Sorted {
  ValueId values = kNoId, indices = kNoId;
  ValueId known = kNoId;    // float [count, 1]: how many are not NaN
  ValueId missing = kNoId;  // bool [count, n]; kNoId for integers
  int64_t count = 0, n = 0;
};

Sorted sort_rows(Formula& f, ValueId x, std::optional<int64_t> dim) {
  Sorted out;
  const int64_t total = f.numel(x);
  out.n = dim ? f.size(x, *dim) : total;
  if (f.ok() && (total == 0 || f.dtype(x) == DType::kBool)) f.b.refuse("of no numbers");
  if (!f.ok()) return out;
  out.count = total / out.n;
  if (dim && f.rank(x) > 0) {
    std::vector<int64_t> order;
    const auto axis = static_cast<int64_t>(f.axis(x, *dim));
    for (int64_t d = 0; d < static_cast<int64_t>(f.rank(x)); ++d) {
      if (d != axis) order.push_back(d);
    }
    order.push_back(axis);
    x = f.permute(x, order);
  }
  x = f.reshape(x, {out.count, out.n});
  if (f.floating(x)) {
    out.missing = f.is_nan(x);
    out.known = f.sum(f.b.cast(f.opposite(out.missing), f.dtype(x)), {1}, true);
    x = f.number_where(out.missing, std::numeric_limits<double>::infinity(), x);
  }
  const std::vector<ValueId> sorted = f.sort(x, 1);
  out.values = sorted[0];
  out.indices = sorted[1];
  return out;
}

ValueId nan(Formula& f, DType dtype) {
  const float value = std::numeric_limits<float>::quiet_NaN();
  if (dtype != DType::kFloat32) f.b.refuse("of another dtype");
  return f.ok() ? f.b.constant("nan", Tensor::of<float>(DType::kFloat32, {}, {value})) : kNoId;
}

ValueId in_result_shape(Formula& f, ValueId x) {
  const TensorSpec spec = f.b.result_spec();
  if (!spec.fixed()) f.b.refuse("a size is symbolic");
  return f.reshape(x, spec.hint_shape());
}

// The lower of two middle ones: at (n - 1) / 2 of the n that count.
void median_of(Builder& b, std::optional<int64_t> dim, bool ignore_nan) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  const Sorted rows = sort_rows(f, x, dim);
  if (!f.ok()) return;
  if (!f.floating(x)) {
    // Which of equal elements is named depends on PyTorch's algorithm; of integers many are equal.
    if (b.result_used(1)) return b.refuse("of integers, with indices");
    return b.result(in_result_shape(f, f.select(rows.values, 1, (rows.n - 1) / 2)));
  }
  const ValueId half = f.times(f.plus(rows.known, -1), 0.5);
  const ValueId place = b.cast(f.at_least(b.unary("aten.floor.default", half), 0), DType::kInt64);
  const ValueId unknown =
      ignore_nan ? f.is("eq", rows.known, 0) : f.is("lt", rows.known, static_cast<double>(rows.n));
  const ValueId value = f.where(unknown, nan(f, f.dtype(x)), f.gather(rows.values, 1, place));
  b.result(in_result_shape(f, value));
  if (!b.result_used(1)) return;
  // The first NaN where the result is NaN.
  const ValueId missing = b.cast(rows.missing, DType::kInt64);
  const ValueId first =
      b.op("aten.argmax.default", {{"self", ref(missing)}, {"dim", int64_t{1}}, {"keepdim", true}},
           b.with_dtype(place, DType::kInt64));
  const ValueId index = f.where(unknown, first, f.gather(rows.indices, 1, place));
  b.further_result(1, in_result_shape(f, index));
}

void median(Builder& b) { median_of(b, std::nullopt, false); }
void nanmedian(Builder& b) { median_of(b, std::nullopt, true); }
void median_along(Builder& b) { median_of(b, Formula(b).integer("dim"), false); }
void nanmedian_along(Builder& b) { median_of(b, Formula(b).integer("dim"), true); }

// a + w (b - a), from the end that is nearer.
ValueId lerp(Formula& f, ValueId a, ValueId b, ValueId weight) {
  const ValueId step = f.sub(b, a);
  const ValueId from_below = f.add(a, f.mul(weight, step));
  const ValueId from_above = f.sub(b, f.mul(step, f.plus(f.neg(weight), 1)));
  return f.where(f.is("lt", weight, 0.5), from_below, from_above);
}

// The element at a fractional place [count, Q] of sorted rows.
ValueId element_at(Formula& f, ValueId sorted, ValueId place, std::string_view interpolation) {
  Builder& b = f.b;
  const auto at = [&](ValueId whole) { return f.gather(sorted, 1, b.cast(whole, DType::kInt64)); };
  if (interpolation == "nearest") return at(b.unary("aten.round.default", place));
  if (interpolation == "higher") return at(b.unary("aten.ceil.default", place));
  const ValueId below = b.unary("aten.floor.default", place);
  if (interpolation == "lower") return at(below);
  const ValueId above = at(b.unary("aten.ceil.default", place));
  const bool middle = interpolation == "midpoint";
  if (!middle && interpolation != "linear") b.refuse("of another interpolation");
  return lerp(f, at(below), above, middle ? f.full(place, 0.5) : f.sub(place, below));
}

std::optional<int64_t> optional_dim(Formula& f) {
  if (!f.has("dim")) return std::nullopt;
  return f.integer("dim");
}

void quantile_of(Builder& b, bool ignore_nan) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  const Argument interpolation = b.arg("interpolation");
  const auto* name = std::get_if<std::string>(&interpolation);
  const Argument q = b.arg("q");
  const auto* q_tensor = std::get_if<ValueRef>(&q);
  const Sorted rows = sort_rows(f, x, optional_dim(f));
  if (!f.ok() || name == nullptr || !f.floating(x)) return b.refuse("of another form");
  const ValueId last = f.at_least(f.plus(rows.known, -1), 0);
  ValueId place = kNoId;
  int64_t places = 1;
  if (q_tensor == nullptr) {
    place = f.times(last, f.number("q"));
  } else {
    places = f.numel(q_tensor->id);
    place = f.mul(last, f.reshape(q_tensor->id, {1, places}));
  }
  const ValueId value = element_at(f, rows.values, place, *name);
  const ValueId unknown =
      ignore_nan ? f.is("eq", rows.known, 0) : f.is("lt", rows.known, static_cast<double>(rows.n));
  const ValueId result = f.where(unknown, nan(f, f.dtype(x)), value);
  b.result(in_result_shape(f, f.transpose(result, 0, 1)));
}
void quantile(Builder& b) { quantile_of(b, false); }
void nanquantile(Builder& b) { quantile_of(b, true); }

void msort(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  b.result(f.rank(x) == 0 ? x : f.sort(x, 0)[0]);
}

constexpr Decomposition kOrderStatistics[] = {
    {"aten.median.default", median},
    {"aten.median.dim", median_along, 2},
    {"aten.nanmedian.default", nanmedian},
    {"aten.nanmedian.dim", nanmedian_along, 2},
    {"aten.quantile.default", quantile},
    {"aten.quantile.scalar", quantile},
    {"aten.nanquantile.default", nanquantile},
    {"aten.nanquantile.scalar", nanquantile},
    {"aten.msort.default", msort},
};

}  // namespace

std::span<const Decomposition> order_statistic_decompositions() { return kOrderStatistics; }

}  // namespace changeaware
