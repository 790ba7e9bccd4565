// Running products, extremes and sums of exponentials.
//
// Each doubles the reach of every element log2(n) times: after the step with distance d an element
// stands for 2d elements up to itself. The operations are associative, so this gives what a walk
// along the dimension gives, up to rounding.
#include <limits>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Steps cost a pass over the tensor each.
constexpr int64_t kLongest = 4096;

// `x` moved by `distance` along `axis`, its first elements replaced by `first`.
ValueId moved(Formula& f, ValueId x, size_t axis, int64_t distance, double first) {
  const auto dim = static_cast<int64_t>(axis);
  if (!f.ok()) return kNoId;
  Shape lead = f.shape(x);
  const int64_t size = lead.at(axis);
  lead[axis] = distance;
  const ValueId begin = expand(f.b, f.full(x, first), lead);
  return concatenated(f.b, {begin, f.slice(x, dim, 0, size - distance)}, axis);
}

struct Scan {
  ValueId x = kNoId;
  size_t axis = 0;
  int64_t size = 0;
};

// The argument, when there is something to do; otherwise the node is answered or refused.
bool begin(Formula& f, ValueId x, Scan& scan) {
  const auto shape = fixed_shape(f.b, x);
  const int64_t dim = f.integer("dim");
  if (!shape) f.b.refuse("its sizes are dynamic");
  if (!f.ok()) return false;
  scan.x = x;
  scan.axis = f.axis(x, dim);
  scan.size = shape->empty() ? 1 : shape->at(scan.axis);
  if (element_count(*shape) == 0 || scan.size > kLongest) f.b.refuse("a long or empty dimension");
  return f.ok();
}

void cumprod(Builder& b) {
  Formula f(b);
  Scan scan;
  if (!begin(f, f.operand("self"), scan)) return;
  ValueId x = scan.x;
  for (int64_t d = 1; d < scan.size; d *= 2) x = f.mul(moved(f, x, scan.axis, d, 1.0), x);
  b.result(x);
}

// log(exp(x) + exp(y)) without overflow; equal infinities stay.
ValueId log_add_exp(Formula& f, ValueId x, ValueId y) {
  const ValueId high = f.maximum(x, y);
  const ValueId low = f.minimum(x, y);
  const ValueId sum = f.add(high, f.log1p(f.exp(f.sub(low, high))));
  const ValueId same = f.both(f.compare("eq", high, low), f.is("eq", f.abs(high), kInfinity));
  return f.where(same, high, sum);
}
void logcumsumexp(Builder& b) {
  Formula f(b);
  Scan scan;
  if (!begin(f, f.operand("self"), scan)) return;
  ValueId x = scan.x;
  for (int64_t d = 1; d < scan.size; d *= 2) {
    x = log_add_exp(f, moved(f, x, scan.axis, d, -kInfinity), x);
  }
  b.result(x);
}

// The latest of equal extremes counts, and NaN counts as one.
void extreme(Builder& b, bool largest) {
  Formula f(b);
  Scan scan;
  const ValueId given = b.tensor("self");
  if (given == kNoId) return;
  const DType dtype = b.spec(given).dtype;
  const bool flags = dtype == DType::kBool;
  if (!begin(f, flags ? b.cast(given, DType::kInt64) : given, scan)) return;
  ValueId x = scan.x;
  const Shape shape = f.shape(x);
  Shape along(shape.size(), 1);
  if (!shape.empty()) along[scan.axis] = scan.size;
  ValueId index = expand(b, reshape(b, f.count_up("counter", scan.size), along), shape);
  for (int64_t d = 1; d < scan.size; d *= 2) {
    // What comes in at the start has the index -1 and gives way to everything.
    const ValueId before = moved(f, x, scan.axis, d, 0.0);
    const ValueId before_index = moved(f, index, scan.axis, d, -1.0);
    ValueId later = f.compare(largest ? "ge" : "le", x, before);
    if (f.ok() && f.floating(x)) {
      later = f.either(f.is_nan(x), f.both(later, f.opposite(f.is_nan(before))));
    }
    later = f.either(later, f.is("lt", before_index, 0.0));
    x = f.where(later, x, before);
    index = f.where(later, index, before_index);
  }
  b.result(b.cast(x, dtype));
  b.further_result(1, index);
}
void cummax(Builder& b) { extreme(b, true); }
void cummin(Builder& b) { extreme(b, false); }

constexpr Decomposition kScans[] = {
    {"aten.cumprod.default", cumprod},
    {"aten.logcumsumexp.default", logcumsumexp},
    {"aten.cummax.default", cummax, 2},
    {"aten.cummin.default", cummin, 2},
};

}  // namespace

std::span<const Decomposition> scan_decompositions() { return kScans; }

}  // namespace changeaware
