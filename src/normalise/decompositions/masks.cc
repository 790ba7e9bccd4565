// Reading and writing under masks, searching, and other indices that are computed.
#include <algorithm>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

void dynamic(Builder& b) { b.refuse("its sizes are dynamic"); }

constexpr int64_t kMostComparisons = int64_t{1} << 22;

// Indices that a mask may exclude: anything, brought into range.
std::vector<ValueId> clamped_indices(Builder& b, ValueId x) {
  std::vector<ValueId> out;
  const auto shape = fixed_shape(b, x);
  const Argument given = b.arg("indices");
  const auto* list = std::get_if<TensorList>(&given);
  if (!shape || list == nullptr || list->items.size() > shape->size()) {
    dynamic(b);
    return out;
  }
  for (size_t d = 0; d < list->items.size() && b.status().ok(); ++d) {
    if (!list->items[d]) {
      b.refuse("an index of all of a dimension");
      return out;
    }
    const int64_t extent = (*shape)[d];
    const ValueId index = b.cast(*list->items[d], DType::kInt64);
    const ValueId near =
        b.op("aten.clamp.default", {{"self", ref(index)}, {"min", -extent}, {"max", extent - 1}},
             b.with_dims(index, b.spec(index).dims));
    out.push_back(from_start(b, near, extent));
  }
  return out;
}

TensorList as_list(const std::vector<ValueId>& values) {
  TensorList list;
  for (ValueId id : values) list.items.emplace_back(id);
  return list;
}

void unsafe_masked_index(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId mask = b.tensor("mask");
  const auto indices = clamped_indices(b, x);
  if (!b.status().ok() || x == kNoId || mask == kNoId) return;
  const ValueId read = b.op("aten.index.Tensor", {{"self", ref(x)}, {"indices", as_list(indices)}},
                            b.with_dims(x, b.result_spec().dims));
  b.result("aten.where.self", {{"condition", ref(mask)},
                               {"self", ref(read)},
                               {"other", ref(b.scalar(b.arg("fill"), b.spec(x).dtype))}});
}

void unsafe_masked_index_put_accumulate(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId mask = b.tensor("mask");
  const ValueId values = b.tensor("values");
  const auto indices = clamped_indices(b, x);
  if (!b.status().ok() || mask == kNoId || values == kNoId) return;
  const DType dtype = b.spec(x).dtype;
  // Sums of bool are what is not zero.
  const DType summed = dtype == DType::kBool ? DType::kInt64 : dtype;
  const ValueId added = b.where(mask, b.cast(values, summed), b.scalar(int64_t{0}, summed));
  const ValueId put = b.op("aten.index_put.default",
                           {{"self", ref(b.cast(x, summed))},
                            {"indices", as_list(indices)},
                            {"values", ref(added)},
                            {"accumulate", true}},
                           b.with_dtype(x, summed));
  b.result(b.cast(put, dtype));
}

// Values that are the same wherever one mask of leading dimensions holds.
void index_put(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId values = b.tensor("values");
  const std::vector<ValueId> indices = tensor_list(b, "indices");
  const auto shape = fixed_shape(b, x);
  const auto given = fixed_shape(b, values);
  if (!shape || !given || indices.size() != 1 || b.spec(indices[0]).dtype != DType::kBool ||
      std::get<TensorList>(b.arg("indices")).items.size() != 1) {
    return b.refuse("its indices are no single mask");
  }
  const auto covered = fixed_shape(b, indices[0]);
  if (!covered || covered->empty() || covered->size() > shape->size()) return dynamic(b);
  const size_t rest = shape->size() - covered->size();
  if (given->size() > rest + 1 || (given->size() == rest + 1 && given->at(0) != 1)) {
    return b.refuse("its values follow the mask");
  }
  Shape mask_shape = *covered;
  mask_shape.resize(shape->size(), 1);
  Shape value_shape(given->end() - static_cast<std::ptrdiff_t>(std::min(rest, given->size())),
                    given->end());
  const ValueId mask = reshape(b, indices[0], mask_shape);
  ValueId written = b.cast(reshape(b, values, value_shape), b.spec(x).dtype);
  if (b.arg("accumulate") == Argument(true)) {
    if (b.spec(x).dtype == DType::kBool) {
      written = b.binary("aten.logical_or.default", x, written);
    } else {
      written = b.binary("aten.add.Tensor", x, written);
    }
  }
  b.result("aten.where.self",
           {{"condition", ref(mask)}, {"self", ref(written)}, {"other", ref(x)}});
}

// The source fills the places of the mask in order, over all of the broadcast sizes.
void masked_scatter(Builder& b) {
  const ValueId x = b.tensor("self");
  const ValueId mask = b.tensor("mask");
  const auto to = fixed_result_shape(b);
  if (!to || x == kNoId || mask == kNoId) return dynamic(b);
  const std::vector<Dim> dims = fixed_dims(*to);
  if (b.spec(x).dims == dims && b.spec(mask).dims == dims) return b.refuse("engines know it");
  b.result("aten.masked_scatter.default", {{"self", ref(expand(b, x, *to))},
                                           {"mask", ref(expand(b, mask, *to))},
                                           {"source", b.arg("source")}});
}

// Whether each element is any of the others.
void isin(Builder& b) {
  const ValueId x = b.tensor("elements");
  const ValueId among = b.tensor("test_elements");
  const auto from = fixed_shape(b, x);
  const auto tests = fixed_shape(b, among);
  if (!from || !tests || b.spec(x).dtype != b.spec(among).dtype) return dynamic(b);
  const int64_t count = element_count(*from);
  const int64_t other = element_count(*tests);
  if (count * other > kMostComparisons || other == 0) return b.refuse("many comparisons");
  const ValueId column = reshape(b, x, {count, 1});
  const ValueId row = reshape(b, among, {1, other});
  if (!b.status().ok()) return;
  TensorSpec pairs = b.with_dims(x, fixed_dims({count, other}));
  pairs.dtype = DType::kBool;
  const ValueId equal = b.op("aten.eq.Tensor", {{"self", ref(column)}, {"other", ref(row)}}, pairs);
  if (!b.status().ok()) return;
  ValueId found = b.op("aten.any.dim", {{"self", ref(equal)}, {"dim", int64_t{1}}},
                       b.with_dims(equal, fixed_dims({count})));
  if (b.arg("invert") == Argument(true)) found = b.unary("aten.logical_not.default", found);
  b.result(reshape(b, found, *from));
}

void isin_number(Builder& b) {
  b.result(b.arg("invert") == Argument(true) ? "aten.ne.Scalar" : "aten.eq.Scalar",
           {{"self", b.arg("elements")}, {"other", b.arg("test_element")}});
}

// Row i of the result is the first row at which more than i rows have been repeated.
void repeat_interleave(Builder& b) {
  ValueId x = b.tensor("self");
  const ValueId repeats = b.tensor("repeats");
  const auto to = fixed_result_shape(b);
  auto from = fixed_shape(b, x);
  const auto times = fixed_shape(b, repeats);
  if (!to || !from || !times || times->size() != 1) return dynamic(b);
  size_t axis = 0;
  if (is_none(b.arg("dim"))) {
    x = reshape(b, x, {element_count(*from)});
  } else {
    const auto dim = int_argument(b.node(), "dim");
    if (!dim || from->empty()) return dynamic(b);
    axis = axis_of(b, *dim, from->size());
  }
  if (!b.status().ok()) return;
  const int64_t rows = b.spec(x).dims.at(axis).size;
  const int64_t made = to->at(axis);
  if (times->at(0) != rows || rows * made > kMostComparisons) return b.refuse("many comparisons");
  const ValueId ends = b.op("aten.cumsum.default",
                            {{"self", ref(b.cast(repeats, DType::kInt64))}, {"dim", int64_t{0}}},
                            b.with_dtype(repeats, DType::kInt64));
  const ValueId counter = int_constant(b, "counter", {made, 1},
                                       places_of({made, 1}, [](const Shape& i) { return i[0]; }));
  if (!b.status().ok()) return;
  TensorSpec pairs = b.with_dims(ends, fixed_dims({made, rows}));
  pairs.dtype = DType::kBool;
  const ValueId passed =
      b.op("aten.ge.Tensor", {{"self", ref(counter)}, {"other", ref(reshape(b, ends, {1, rows}))}},
           pairs);
  if (!b.status().ok()) return;
  const ValueId index =
      b.op("aten.sum.dim_IntList",
           {{"self", ref(b.cast(passed, DType::kInt64))}, {"dim", std::vector<int64_t>{1}}},
           b.with_dims(ends, fixed_dims({made})));
  b.result(select_rows(b, x, axis, index));
}

// The inverse of max pooling: elements at their indices in each plane, zeros elsewhere.
void max_unpool(Builder& b, size_t spatial) {
  const ValueId x = b.tensor("self");
  const ValueId indices = b.tensor("indices");
  const auto from = fixed_shape(b, x);
  const auto to = fixed_result_shape(b);
  if (!from || !to || indices == kNoId || from->size() <= spatial) return dynamic(b);
  const auto plane = from->end() - static_cast<std::ptrdiff_t>(spatial);
  const int64_t planes = element_count(Shape(from->begin(), plane));
  const int64_t inner = element_count(Shape(plane, from->end()));
  const int64_t outer =
      element_count(Shape(to->end() - static_cast<std::ptrdiff_t>(spatial), to->end()));
  const ValueId zeros =
      b.op("aten.full.default",
           {{"size", Shape{planes, outer}}, {"fill_value", int64_t{0}}, {"dtype", b.spec(x).dtype}},
           b.with_dims(x, fixed_dims({planes, outer})));
  const ValueId put = b.op("aten.scatter.src",
                           {{"self", ref(zeros)},
                            {"dim", int64_t{1}},
                            {"index", ref(reshape(b, indices, {planes, inner}))},
                            {"src", ref(reshape(b, x, {planes, inner}))}},
                           b.with_dims(x, fixed_dims({planes, outer})));
  b.result(reshape(b, put, *to));
}
void max_unpool2d(Builder& b) { max_unpool(b, 2); }
void max_unpool3d(Builder& b) { max_unpool(b, 3); }

constexpr Decomposition kMasks[] = {
    {"aten._unsafe_masked_index.default", unsafe_masked_index},
    {"aten._unsafe_masked_index_put_accumulate.default", unsafe_masked_index_put_accumulate},
    {"aten.index_put.default", index_put},
    {"aten.masked_scatter.default", masked_scatter},
    {"aten.isin.Tensor_Tensor", isin},
    {"aten.isin.Tensor_Scalar", isin_number},
    {"aten.repeat_interleave.self_Tensor", repeat_interleave},
    {"aten.max_unpool2d.default", max_unpool2d},
    {"aten.max_unpool3d.default", max_unpool3d},
};

}  // namespace

std::span<const Decomposition> mask_decompositions() { return kMasks; }

}  // namespace changeaware
