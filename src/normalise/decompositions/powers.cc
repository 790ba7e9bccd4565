// Powers of matrices and vectors by multiplication, and logarithms of sums of exponentials.
#include <cmath>
#include <limits>
#include <numbers>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

// The identity for 0; by squaring above 3. A negative power needs an inverse.
void matrix_power(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  int64_t n = f.integer("n");
  if (f.ok() && (n < 0 || f.rank(x) < 2 || f.numel(x) == 0)) b.refuse("of another form");
  if (!f.ok()) return;
  const int64_t size = f.size(x, -1);
  if (n == 0) {
    const ValueId place = f.count_up("place", size);
    const ValueId one = f.compare("eq", f.unsqueeze(place, 1), place);
    return b.result(f.expand(b.cast(one, f.dtype(x)), f.shape(x)));
  }
  if (n == 3) return b.result(f.matmul(f.matmul(x, x), x));
  ValueId square = x;
  ValueId power = kNoId;
  while (n > 0) {
    if (n % 2 == 1) power = power == kNoId ? square : f.matmul(power, square);
    n /= 2;
    if (n > 0) square = f.matmul(square, square);
  }
  b.result(power);
}

// Columns x^0, x^1, …, x^(N - 1).
void vander(Builder& b) {
  Formula f(b);
  constexpr int64_t kMost = 1024;
  ValueId x = f.operand("x");
  if (f.rank(x) == 0) x = f.unsqueeze(x, 0);
  const int64_t columns = f.has("N") ? f.integer("N") : f.size(x, -1);
  if (f.ok() && (columns < 1 || columns > kMost || f.numel(x) == 0)) {
    b.refuse("of another form");
  }
  std::vector<ValueId> parts{f.expand(f.full(x, 1), f.shape(x))};
  while (f.ok() && static_cast<int64_t>(parts.size()) < columns) {
    parts.push_back(parts.size() == 1 ? x : f.mul(parts.back(), x));
  }
  for (ValueId& part : parts) part = f.unsqueeze(part, -1);
  b.result(f.cat(parts, -1));
}

// max(x, y) + log(1 + exp(-|x - y|)); equal infinities differ by 0.
void log_add(Builder& b, double base) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId y = f.operand("other");
  if (f.ok() && !f.floating(x)) return b.refuse("of integers");
  const double ln_base = std::log(base);
  const ValueId same_infinity =
      f.both(f.compare("eq", x, y), f.is("eq", f.abs(x), std::numeric_limits<double>::infinity()));
  ValueId apart =
      f.neg(f.abs(f.sub(f.number_where(same_infinity, 0, x), f.number_where(same_infinity, 0, y))));
  if (ln_base != 1) apart = f.times(apart, ln_base);
  ValueId rest = f.log1p(f.exp(apart));
  if (ln_base != 1) rest = f.times(rest, 1 / ln_base);
  b.result(f.add(f.maximum(x, y), rest));
}
void logaddexp(Builder& b) { log_add(b, std::numbers::e); }
void logaddexp2(Builder& b) { log_add(b, 2); }

// Of integers, as PyTorch computes it: in the dtype of the result.
void logsumexp(Builder& b) {
  Formula f(b);
  b.result(
      "aten.logsumexp.default",
      {{"self", ref(f.operand("self"))}, {"dim", b.arg("dim")}, {"keepdim", b.arg("keepdim")}});
}

constexpr Decomposition kPowers[] = {
    {"aten.linalg_matrix_power.default", matrix_power},
    {"aten.matrix_power.default", matrix_power},
    {"aten.linalg_vander.default", vander},
    {"aten.logaddexp.default", logaddexp},
    {"aten.logaddexp2.default", logaddexp2},
    {"aten.logsumexp.default", logsumexp},
    {"aten.special_logsumexp.default", logsumexp},
};

}  // namespace

std::span<const Decomposition> power_decompositions() { return kPowers; }

}  // namespace changeaware
