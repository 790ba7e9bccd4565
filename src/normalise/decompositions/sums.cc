// Sums: without NaN, of a diagonal, to a smaller size, by ranges.
// Source: PyTorch documentation of torch.nansum, torch.nanmean, torch.trace and torch.histc.
#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

ValueId nan_as_zero(Formula& f, ValueId x) {
  return f.floating(x) ? f.number_where(f.is_nan(x), 0, x) : x;
}

void nansum(Builder& b) {
  Formula f(b);
  const ValueId known = nan_as_zero(f, b.tensor("self"));
  const ValueId x = f.ok() ? b.cast(known, b.result_spec().dtype) : kNoId;
  b.result(f.sum(x, f.integers("dim"), f.flag("keepdim")));
}

void nanmean(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const std::vector<int64_t> dims = f.integers("dim");
  const bool keep = f.flag("keepdim");
  if (!f.ok() || !f.floating(x)) return b.refuse("of integers");
  const ValueId known = b.cast(f.opposite(f.is_nan(x)), f.dtype(x));
  b.result(f.div(f.sum(nan_as_zero(f, x), dims, keep), f.sum(known, dims, keep)));
}

void trace(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  if (f.ok() && (f.rank(x) != 2 || f.numel(x) == 0)) b.refuse("of no elements");
  const int64_t length = std::min(f.size(x, 0), f.size(x, 1));
  if (!f.ok()) return;
  const ValueId diagonal =
      b.op("aten.diagonal.default", {{"self", ref(x)}}, b.with_dims(x, {Dim{length, ""}}));
  b.result(f.sum(diagonal));
}

// Dimensions in front, and those that become 1, are summed.
void sum_to_size(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const Shape size = f.integers("size");
  const Shape now = f.shape(x);
  if (!f.ok() || size.size() > now.size()) return b.refuse("of another form");
  const size_t leading = now.size() - size.size();
  std::vector<int64_t> dims;
  for (size_t d = 0; d < now.size(); ++d) {
    if (d < leading || (size[d - leading] == 1 && now[d] != 1)) {
      dims.push_back(static_cast<int64_t>(d));
    }
  }
  b.result(dims.empty() ? x : f.reshape(f.sum(x, dims, true), size));
}

// Counts in equal ranges; the last one includes its end. What lies outside is not counted.
void histc(Builder& b) {
  Formula f(b);
  constexpr int64_t kMost = int64_t{1} << 22;  // comparisons
  const int64_t bins = f.integer("bins");
  const double low = f.number("min");
  const double high = f.number("max");
  const ValueId x = b.tensor("self");
  const int64_t total = f.numel(x);
  if (!f.ok() || bins < 1 || total == 0 || total > kMost / bins || !(low < high) ||
      f.dtype(x) != DType::kFloat32) {
    return b.refuse("of another form");
  }
  const ValueId flat = f.reshape(x, {total, 1});
  const ValueId counts = f.both(f.is("ge", flat, low), f.is("le", flat, high));
  const ValueId inside = f.where_or(counts, flat, low);
  const ValueId place =
      f.over(f.times(f.plus(inside, -low), static_cast<double>(bins)), high - low);
  const ValueId whole = b.cast(b.unary("aten.floor.default", place), DType::kInt64);
  const ValueId bin = f.at_most(whole, static_cast<double>(bins - 1));
  const ValueId hits = f.both(f.compare("eq", bin, f.count_up("bins", bins)), counts);
  b.result(f.sum(b.cast(hits, DType::kFloat32), {0}));
}

constexpr Decomposition kSums[] = {
    {"aten.nansum.default", nansum}, {"aten.nanmean.default", nanmean},
    {"aten.trace.default", trace},   {"aten.sum_to_size.default", sum_to_size},
    {"aten.histc.default", histc},
};

}  // namespace

std::span<const Decomposition> sum_decompositions() { return kSums; }

}  // namespace changeaware
