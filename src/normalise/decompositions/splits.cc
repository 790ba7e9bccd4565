// Parts of a tensor along one dimension, lists of tensors, and other sizes for the same elements.
#include <algorithm>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

// Parts that end at `ends`.
void split_at(Builder& b, size_t axis, const std::vector<int64_t>& ends) {
  const ValueId x = b.tensor("self");
  if (ends.size() != b.node().outputs.size()) return b.refuse("the parts are others");
  int64_t start = 0;
  for (size_t i = 0; i < ends.size() && b.status().ok(); ++i) {
    const int64_t end = ends[i];
    std::vector<Dim> dims = b.spec(x).dims;
    dims[axis] = Dim{end - start, ""};
    const ValueId part = b.op(
        "aten.slice.Tensor",
        {{"self", ref(x)}, {"dim", static_cast<int64_t>(axis)}, {"start", start}, {"end", end}},
        b.with_dims(x, std::move(dims)));
    b.further_result(i, part);
    start = ends[i];
  }
}

// PyTorch's tensor_split along `dim`: by a number of parts, of which the first are longer, or at
// indices, which may count from the end.
void split(Builder& b, int64_t dim) {
  const ValueId x = b.tensor("self");
  const auto shape = fixed_shape(b, x);
  if (!shape || shape->empty()) return b.refuse("its sizes are dynamic");
  const size_t axis = axis_of(b, dim, shape->size());
  if (!b.status().ok()) return;
  const int64_t extent = shape->at(axis);
  std::vector<int64_t> ends;
  if (b.node().op->arg_index("indices") >= 0) {
    const Argument given = b.arg("indices");
    const auto* indices = std::get_if<std::vector<int64_t>>(&given);
    if (indices == nullptr) return b.refuse("its indices are computed");
    for (int64_t index : *indices) {
      ends.push_back(std::clamp(index < 0 ? index + extent : index, int64_t{0}, extent));
    }
    // A part that begins behind the one before would overlap it.
    if (!std::is_sorted(ends.begin(), ends.end())) return b.refuse("its indices go back");
    ends.push_back(extent);
  } else {
    const auto parts = int_argument(b.node(), "sections");
    if (!parts || *parts < 1) return b.refuse("its sections are computed");
    int64_t end = 0;
    for (int64_t i = 0; i < *parts; ++i) {
      end += extent / *parts + (i < extent % *parts ? 1 : 0);
      ends.push_back(end);
    }
  }
  split_at(b, axis, ends);
}

void tensor_split(Builder& b) {
  const auto dim = int_argument(b.node(), "dim");
  if (!dim) return b.refuse("its dim is computed");
  split(b, *dim);
}
void vsplit(Builder& b) { split(b, 0); }
void dsplit(Builder& b) { split(b, 2); }
void hsplit(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x != kNoId) split(b, b.spec(x).dims.size() == 1 ? 0 : 1);
}

void unbind(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto dim = int_argument(b.node(), "dim");
  if (x == kNoId || !dim) return b.refuse("its dim is computed");
  std::vector<Dim> dims = b.spec(x).dims;
  if (dims.empty()) return b.refuse("of a number");
  const size_t axis = axis_of(b, *dim, dims.size());
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  for (size_t i = 0; i < b.node().outputs.size() && b.status().ok(); ++i) {
    b.further_result(i, b.op("aten.select.int",
                             {{"self", ref(x)},
                              {"dim", static_cast<int64_t>(axis)},
                              {"index", static_cast<int64_t>(i)}},
                             b.with_dims(x, dims)));
  }
}

// Every tensor with at least `rank` dimensions; [n] is [1, n, 1] of three, [n, m] is [n, m, 1].
void each_at_least(Builder& b, size_t rank) {
  const std::vector<ValueId> tensors = tensor_list(b, "tensors");
  if (tensors.size() != b.node().outputs.size()) return b.refuse("the results are others");
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto shape = fixed_shape(b, tensors[i]);
    if (!shape) return b.refuse("its sizes are dynamic");
    while (shape->size() < std::min<size_t>(rank, 2)) shape->insert(shape->begin(), 1);
    while (shape->size() < rank) shape->push_back(1);
    b.further_result(i, reshape(b, tensors[i], *shape));
  }
}
void each_at_least_1d(Builder& b) { each_at_least(b, 1); }
void each_at_least_2d(Builder& b) { each_at_least(b, 2); }
void each_at_least_3d(Builder& b) { each_at_least(b, 3); }

bool row_by_row(const TensorSpec& spec) {
  if (spec.strides.empty()) return true;
  int64_t expected = 1;
  for (size_t d = spec.dims.size(); d-- > 0;) {
    if (!spec.strides[d].fixed()) return false;
    if (spec.dims[d].size != 1 && spec.strides[d].size != expected) return false;
    expected *= spec.dims[d].size;
  }
  return true;
}

// The first elements in memory under other sizes; more than there are would be anything.
void resize(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto from = fixed_shape(b, x);
  const auto to = fixed_result_shape(b);
  if (!from || !to || !row_by_row(b.spec(x)) || element_count(*to) > element_count(*from)) {
    return b.refuse("it reads memory that is not its own");
  }
  // A call that changed a tensor in place is recorded with the sizes that it had.
  if (b.node().op->arg_index("size") >= 0 && b.arg("size") != Argument(*to)) {
    return b.refuse("its result has other sizes");
  }
  const int64_t count = element_count(*to);
  ValueId flat = reshape(b, x, {element_count(*from)});
  if (count < element_count(*from)) {
    flat = b.op("aten.slice.Tensor",
                {{"self", ref(flat)}, {"dim", int64_t{0}}, {"start", int64_t{0}}, {"end", count}},
                b.with_dims(x, fixed_dims({count})));
  }
  b.result(reshape(b, flat, *to));
}

constexpr Decomposition kSplits[] = {
    {"aten.tensor_split.sections", tensor_split},
    {"aten.tensor_split.indices", tensor_split},
    {"aten.vsplit.int", vsplit},
    {"aten.vsplit.array", vsplit},
    {"aten.hsplit.int", hsplit},
    {"aten.hsplit.array", hsplit},
    {"aten.dsplit.int", dsplit},
    {"aten.dsplit.array", dsplit},
    {"aten.unbind_copy.int", unbind},
    {"aten.atleast_1d.Sequence", each_at_least_1d},
    {"aten.atleast_2d.Sequence", each_at_least_2d},
    {"aten.atleast_3d.Sequence", each_at_least_3d},
    {"aten.resize.default", resize},
    {"aten.resize_as.default", resize},
};

}  // namespace

std::span<const Decomposition> split_decompositions() { return kSplits; }

}  // namespace changeaware
