// Reading and writing at indices that are tensors.
#include <algorithm>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

void dynamic(Builder& b) { b.refuse("its sizes are dynamic"); }

ValueId flat(Builder& b, ValueId x) {
  const auto shape = fixed_shape(b, x);
  if (!shape) dynamic(b);
  return shape ? reshape(b, x, {element_count(*shape)}) : kNoId;
}

// `values` written, or added, at rows `index` of `x`. Sums of bool are what is not zero.
ValueId put_rows(Builder& b, ValueId x, std::vector<ValueId> index, ValueId values, bool add) {
  if (!b.status().ok() || x == kNoId || values == kNoId) return kNoId;
  const DType dtype = b.spec(x).dtype;
  const bool counted = add && dtype == DType::kBool;
  const ValueId target = counted ? b.cast(x, DType::kInt64) : x;
  TensorList list;
  for (ValueId id : index) list.items.emplace_back(id);
  const ValueId written = b.op("aten.index_put.default",
                               {{"self", ref(target)},
                                {"indices", std::move(list)},
                                {"values", ref(b.cast(values, b.spec(target).dtype))},
                                {"accumulate", add}},
                               b.with_dims(target, b.spec(target).dims));
  return b.cast(written, dtype);
}

// The elements at positions of the flattened tensor.
void take(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId index = b.tensor("index");
  const auto from = fixed_shape(b, x);
  const auto to = fixed_shape(b, index);
  if (!from || !to) return dynamic(b);
  const ValueId rows = from_start(b, flat(b, index), element_count(*from));
  b.result(reshape(b, select_rows(b, flat(b, x), 0, rows), *to));
}

void put(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto shape = fixed_shape(b, x);
  const Argument accumulate = b.arg("accumulate");
  const auto* add = std::get_if<bool>(&accumulate);
  if (!shape || add == nullptr) return dynamic(b);
  const ValueId index = flat(b, b.tensor("index"));
  const ValueId source = flat(b, b.tensor("source"));
  b.result(reshape(b, put_rows(b, flat(b, x), {index}, source, *add), *shape));
}

// gather with sizes broadcast and indices that may count from the end.
void take_along_dim(Builder& b) {
  ValueId x = b.tensor("self");
  ValueId index = b.tensor("indices");
  auto from = fixed_shape(b, x);
  auto at = fixed_shape(b, index);
  if (!from || !at) return dynamic(b);
  size_t axis = 0;
  if (is_none(b.arg("dim"))) {
    x = flat(b, x);
    index = flat(b, index);
    from = fixed_shape(b, x);
    at = fixed_shape(b, index);
  } else {
    const auto dim = int_argument(b.node(), "dim");
    if (!dim || from->size() != at->size() || from->empty()) return dynamic(b);
    axis = axis_of(b, *dim, from->size());
  }
  if (!b.status().ok()) return;
  Shape source = *from;
  Shape to = *at;
  for (size_t d = 0; d < source.size(); ++d) {
    if (d == axis) continue;
    if (source[d] == 1) source[d] = to[d];
    if (to[d] == 1) to[d] = source[d];
  }
  b.result("aten.gather.default",
           {{"self", ref(expand(b, x, source))},
            {"dim", static_cast<int64_t>(axis)},
            {"index", ref(expand(b, from_start(b, index, source[axis]), to))}});
}

// gather of a tensor without dimensions, which counts as one of one element.
void gather(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId index = b.tensor("index");
  const auto from = fixed_shape(b, x);
  const auto at = fixed_shape(b, index);
  if (!from || !at || from->size() == at->size() || from->size() + at->size() > 1) {
    return b.refuse("the sizes are as engines know them");
  }
  const ValueId read = b.op("aten.gather.default",
                            {{"self", ref(reshape(b, x, {1}))},
                             {"dim", int64_t{0}},
                             {"index", ref(reshape(b, index, {1}))}},
                            b.with_dims(x, fixed_dims({1})));
  b.result(reshape(b, read, *at));
}

struct Rows {
  ValueId self = kNoId;    // the indexed dimension first; at least one dimension
  ValueId index = kNoId;   // one dimension
  ValueId source = kNoId;  // likewise; kNoId when the operator has none
  size_t axis = 0;
};

ValueId with_axis_first(Builder& b, ValueId x, size_t axis) {
  const auto shape = fixed_shape(b, x);
  if (!shape) {
    dynamic(b);
    return kNoId;
  }
  return shape->empty() ? reshape(b, x, {1}) : swap_dims(b, x, 0, axis);
}

Rows rows_of(Builder& b, std::string_view source) {
  Rows rows;
  const ValueId x = b.tensor("self");
  const auto dim = int_argument(b.node(), "dim");
  if (x == kNoId || !dim) {
    dynamic(b);
    return rows;
  }
  rows.axis = axis_of(b, *dim, b.spec(x).dims.size());
  rows.self = with_axis_first(b, x, rows.axis);
  rows.index = flat(b, b.tensor("index"));
  if (!source.empty())
    rows.source = with_axis_first(b, b.cast(b.tensor(source), b.spec(x).dtype), rows.axis);
  return rows;
}

void finish(Builder& b, const Rows& rows, ValueId written) {
  const auto to = fixed_result_shape(b);
  if (!to) return dynamic(b);
  b.result(to->empty() ? reshape(b, written, {}) : swap_dims(b, written, 0, rows.axis));
}

void index_fill(Builder& b) {
  const Rows rows = rows_of(b, "");
  if (!b.status().ok()) return;
  const Argument value = b.arg("value");
  const auto* tensor = std::get_if<ValueRef>(&value);
  const DType dtype = b.spec(rows.self).dtype;
  const ValueId filled = tensor != nullptr ? b.cast(tensor->id, dtype) : b.scalar(value, dtype);
  finish(b, rows, put_rows(b, rows.self, {rows.index}, filled, false));
}

void index_copy(Builder& b) {
  const Rows rows = rows_of(b, "source");
  finish(b, rows, put_rows(b, rows.self, {rows.index}, rows.source, false));
}

void index_add(Builder& b) {
  const Rows rows = rows_of(b, "source");
  if (!b.status().ok()) return;
  const Argument alpha = b.arg("alpha");
  ValueId source = rows.source;
  const auto* flag = std::get_if<bool>(&alpha);
  if (b.spec(rows.self).dtype == DType::kBool) {
    if (flag == nullptr && alpha != Argument(int64_t{1})) return b.refuse("its alpha is a number");
    if (flag != nullptr && !*flag) return b.result(b.tensor("self"));
  } else if (flag != nullptr || alpha != Argument(int64_t{1})) {
    if (flag != nullptr) return b.refuse("its alpha is a bool");
    source = b.binary("aten.mul.Scalar", source, alpha);
  }
  finish(b, rows, put_rows(b, rows.self, {rows.index}, source, true));
}

// scatter_reduce, in which engines round the mean of integers otherwise: it is rounded down.
ValueId reduce_at(Builder& b, ValueId self, int64_t dim, ValueId index, ValueId source,
                  const std::string& reduce, bool include_self) {
  if (!b.status().ok() || self == kNoId || source == kNoId) return kNoId;
  const auto scatter = [&](ValueId into, ValueId from, const std::string& how) {
    return b.op("aten.scatter_reduce.two",
                {{"self", ref(into)},
                 {"dim", dim},
                 {"index", ref(index)},
                 {"src", ref(from)},
                 {"reduce", how},
                 {"include_self", include_self}},
                b.with_dims(self, b.spec(self).dims));
  };
  if (reduce != "mean" || is_floating(b.spec(self).dtype)) return scatter(self, source, reduce);
  const auto ones = [&](ValueId like) {
    const Shape shape = b.spec(like).hint_shape();
    return b.op("aten.full.default",
                {{"size", shape}, {"fill_value", int64_t{1}}, {"dtype", b.spec(like).dtype}},
                b.with_dims(like, fixed_dims(shape)));
  };
  const ValueId count = scatter(ones(self), ones(source), "sum");
  return b.op("aten.div.Tensor_mode",
              {{"self", ref(scatter(self, source, "sum"))},
               {"other", ref(count)},
               {"rounding_mode", std::string("floor")}},
              b.with_dims(self, b.spec(self).dims));
}

void scatter_reduce(Builder& b) {
  const ValueId x = b.tensor("self");
  const Argument reduce = b.arg("reduce");
  const Argument include = b.arg("include_self");
  const auto dim = int_argument(b.node(), "dim");
  if (x == kNoId || !dim || reduce != Argument(std::string("mean")) ||
      is_floating(b.spec(x).dtype) || !fixed_shape(b, x) || !fixed_shape(b, b.tensor("src"))) {
    return b.refuse("engines know it");
  }
  b.result(
      reduce_at(b, x, *dim, b.tensor("index"), b.tensor("src"), "mean", include == Argument(true)));
}

void index_reduce(Builder& b) {
  const Rows rows = rows_of(b, "source");
  const auto source = fixed_shape(b, rows.source);
  if (!source) return dynamic(b);
  const Argument reduce = b.arg("reduce");
  const auto* how = std::get_if<std::string>(&reduce);
  if (how == nullptr) return dynamic(b);
  Shape column(source->size(), 1);
  column[0] = source->at(0);
  const ValueId index = expand(b, reshape(b, rows.index, column), *source);
  finish(b, rows,
         reduce_at(b, rows.self, 0, index, rows.source, *how,
                   b.arg("include_self") == Argument(true)));
}

constexpr Decomposition kIndexing[] = {
    {"aten.take.default", take},
    {"aten.put.default", put},
    {"aten.take_along_dim.default", take_along_dim},
    {"aten.gather.default", gather},
    {"aten.index_fill.int_Scalar", index_fill},
    {"aten.index_fill.int_Tensor", index_fill},
    {"aten.index_copy.default", index_copy},
    {"aten.index_add.default", index_add},
    {"aten.index_reduce.default", index_reduce},
    {"aten.scatter_reduce.two", scatter_reduce},
};

}  // namespace

std::span<const Decomposition> indexing_decompositions() { return kIndexing; }

}  // namespace changeaware
