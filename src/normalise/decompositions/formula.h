// Formula: the operators that decompositions are written in, with the sizes of their results.
//
// A thin layer over Builder: every function emits one operator. Operands of one call share a dtype
// (cast first); sizes broadcast; dimensions may count from the end. Where a size must be known and
// is symbolic, the builder refuses. After the first error every call is a no-op.
#pragma once

#include <string_view>
#include <vector>

#include "normalise/decompositions/builder.h"

namespace changeaware {

class Formula {
 public:
  explicit Formula(Builder& builder) : b(builder) {}

  bool ok() const { return b.status().ok(); }
  size_t rank(ValueId x) const { return ok() ? b.spec(x).dims.size() : 0; }
  DType dtype(ValueId x) const { return ok() ? b.spec(x).dtype : DType::kFloat32; }
  bool floating(ValueId x) const { return is_floating(dtype(x)); }
  // `dim` as an index; refuses one that `x` has not. A tensor without dimensions counts as of one.
  size_t axis(ValueId x, int64_t dim);
  // Refuses symbolic sizes.
  int64_t size(ValueId x, int64_t dim);
  int64_t numel(ValueId x);
  Shape shape(ValueId x);
  // The tensor argument in the dtype of the result.
  ValueId operand(std::string_view name);
  bool has(std::string_view name) const { return !is_none(b.arg(name)); }
  // Number, int, flag and int list arguments; refuse what is computed at run time.
  double number(std::string_view name);
  int64_t integer(std::string_view name);
  bool flag(std::string_view name);
  std::vector<int64_t> integers(std::string_view name);

  ValueId add(ValueId x, ValueId y) { return b.binary("aten.add.Tensor", x, y); }
  ValueId sub(ValueId x, ValueId y) { return b.binary("aten.sub.Tensor", x, y); }
  ValueId mul(ValueId x, ValueId y) { return b.binary("aten.mul.Tensor", x, y); }
  ValueId div(ValueId x, ValueId y) { return b.binary("aten.div.Tensor", x, y); }
  ValueId maximum(ValueId x, ValueId y) { return b.binary("aten.maximum.default", x, y); }
  ValueId minimum(ValueId x, ValueId y) { return b.binary("aten.minimum.default", x, y); }
  // With a number of the tensor's kind: integral for integers.
  ValueId plus(ValueId x, double y) { return with_number("aten.add.Scalar", x, y); }
  ValueId times(ValueId x, double y) { return with_number("aten.mul.Scalar", x, y); }
  // Floating only.
  ValueId over(ValueId x, double y) { return b.binary("aten.div.Scalar", x, Argument(y)); }
  // Of a reduction: by the reciprocal. OpenVINO's CPU plug-in fuses a division by a constant into
  // the reduction before it and then leaves elements out.
  ValueId reduction_over(ValueId x, double y) { return times(x, 1 / y); }
  ValueId neg(ValueId x) { return b.unary("aten.neg.default", x); }
  ValueId abs(ValueId x) { return b.unary("aten.abs.default", x); }
  ValueId exp(ValueId x) { return b.unary("aten.exp.default", x); }
  ValueId log(ValueId x) { return b.unary("aten.log.default", x); }
  ValueId log1p(ValueId x) { return b.unary("aten.log1p.default", x); }
  ValueId sqrt(ValueId x) { return b.unary("aten.sqrt.default", x); }
  // No less (no more) than the number; NaN stays.
  ValueId at_least(ValueId x, double y);
  ValueId at_most(ValueId x, double y);

  // "eq", "ne", "lt", "le", "gt", "ge".
  ValueId compare(std::string_view relation, ValueId x, ValueId y);
  ValueId is(std::string_view relation, ValueId x, double number);
  ValueId is_nan(ValueId x) { return compare("ne", x, x); }
  ValueId both(ValueId x, ValueId y) { return b.binary("aten.logical_and.default", x, y); }
  ValueId either(ValueId x, ValueId y) { return b.binary("aten.logical_or.default", x, y); }
  ValueId opposite(ValueId x) { return b.unary("aten.logical_not.default", x); }
  ValueId where(ValueId condition, ValueId x, ValueId y) { return b.where(condition, x, y); }
  // With a number where the condition does not hold, or where it does.
  ValueId where_or(ValueId condition, ValueId x, double otherwise) {
    return where(condition, x, full(x, otherwise));
  }
  ValueId number_where(ValueId condition, double number, ValueId otherwise) {
    return where(condition, full(otherwise, number), otherwise);
  }
  // One number of the dtype of `like`.
  ValueId full(ValueId like, double value);

  // Over `dims`; none = all of them. Sums of integers need int64.
  ValueId sum(ValueId x, const std::vector<int64_t>& dims, bool keep = false);
  ValueId sum(ValueId x) { return sum(x, {}); }
  ValueId any(ValueId x, int64_t dim, bool keep);
  ValueId cumsum(ValueId x, int64_t dim);
  ValueId norm(ValueId x, double ord, const std::vector<int64_t>& dims, bool keep);

  ValueId reshape(ValueId x, const Shape& shape);
  ValueId unsqueeze(ValueId x, int64_t dim);
  ValueId squeeze(ValueId x, int64_t dim);
  ValueId permute(ValueId x, const std::vector<int64_t>& order);
  ValueId transpose(ValueId x, int64_t dim0, int64_t dim1);
  ValueId expand(ValueId x, const Shape& shape);
  // Elements [start, end); negative ones count from the end.
  ValueId slice(ValueId x, int64_t dim, int64_t start, int64_t end);
  ValueId slice_from(ValueId x, int64_t dim, int64_t start);
  ValueId select(ValueId x, int64_t dim, int64_t index);
  ValueId cat(const std::vector<ValueId>& parts, int64_t dim);
  ValueId gather(ValueId x, int64_t dim, ValueId index);
  ValueId index_select(ValueId x, int64_t dim, ValueId index);
  ValueId matmul(ValueId x, ValueId y);
  // Values and indices, ascending.
  std::vector<ValueId> sort(ValueId x, int64_t dim);
  // 0, 1, … as a constant.
  ValueId count_up(std::string_view name, int64_t count);

  Builder& b;

 private:
  ValueId with_number(std::string_view op, ValueId x, double y);
  TensorSpec reduced(ValueId x, const std::vector<int64_t>& dims, bool keep);
};

}  // namespace changeaware
