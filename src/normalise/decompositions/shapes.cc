// Operators that move elements.
#include <algorithm>

#include "base/checked.h"
#include "normalise/decompositions/decompositions.h"

namespace changeaware {
namespace {

// The result's sizes, when they are fixed.
std::optional<Argument> fixed_sizes(const Builder& b) {
  const TensorSpec spec = b.result_spec();
  if (!spec.fixed()) return std::nullopt;
  return Argument(spec.hint_shape());
}

void swap_last_two(Builder& b) {
  b.result("aten.transpose.int",
           {{"self", b.arg("self")}, {"dim0", int64_t{-2}}, {"dim1", int64_t{-1}}});
}
void flip_dim(Builder& b, int64_t dim) {
  b.result("aten.flip.default", {{"self", b.arg("self")}, {"dims", std::vector<int64_t>{dim}}});
}
void fliplr(Builder& b) { flip_dim(b, 1); }
void flipud(Builder& b) { flip_dim(b, 0); }

void ravel(Builder& b) {
  b.result("aten.reshape.default", {{"self", b.arg("self")}, {"shape", std::vector<int64_t>{-1}}});
}

// To the sizes of another tensor, of which nothing else is read.
void reshape_like(Builder& b) {
  const auto sizes = fixed_sizes(b);
  b.result("aten.reshape.default",
           {{"self", b.arg("self")}, {"shape", sizes ? *sizes : b.sizes(b.tensor("other"))}});
}
void expand_like(Builder& b) {
  const auto sizes = fixed_sizes(b);
  b.result("aten.expand.default",
           {{"self", b.arg("self")}, {"size", sizes ? *sizes : b.sizes(b.tensor("other"))}});
}

// `id` with dimensions of one element in front until it has `rank`.
ValueId at_least(Builder& b, ValueId id, size_t rank) {
  if (!b.status().ok()) return kNoId;
  std::vector<Dim> dims = b.spec(id).dims;
  while (dims.size() < rank) {
    dims.insert(dims.begin(), Dim{1, ""});
    id = b.op("aten.unsqueeze.default", {{"self", ref(id)}, {"dim", int64_t{0}}},
              b.with_dims(id, dims));
  }
  return id;
}
// … one dimension behind.
ValueId append_dim(Builder& b, ValueId id) {
  if (!b.status().ok()) return kNoId;
  std::vector<Dim> dims = b.spec(id).dims;
  dims.push_back(Dim{1, ""});
  return b.op("aten.unsqueeze.default", {{"self", ref(id)}, {"dim", int64_t{-1}}},
              b.with_dims(id, std::move(dims)));
}
// PyTorch's atleast_3d: [n] becomes [1, n, 1], [n, m] becomes [n, m, 1].
ValueId at_least_3d(Builder& b, ValueId id) {
  if (!b.status().ok() || b.spec(id).dims.size() >= 3) return id;
  return append_dim(b, at_least(b, id, 2));
}
ValueId at_least_1d(Builder& b, ValueId id) { return at_least(b, id, 1); }
ValueId at_least_2d(Builder& b, ValueId id) { return at_least(b, id, 2); }
ValueId as_column(Builder& b, ValueId id) {
  if (!b.status().ok() || b.spec(id).dims.size() >= 2) return id;
  return append_dim(b, at_least(b, id, 1));
}

void atleast_1d(Builder& b) { b.result(at_least_1d(b, b.tensor("self"))); }
void atleast_2d(Builder& b) { b.result(at_least_2d(b, b.tensor("self"))); }
void atleast_3d(Builder& b) { b.result(at_least_3d(b, b.tensor("self"))); }

// cat along `dim` of every tensor made to fit.
void concatenate(Builder& b, ValueId (*fit)(Builder&, ValueId), int64_t dim) {
  const Argument tensors = b.arg("tensors");
  TensorList fitted;
  for_each_value(tensors, [&](ValueId id) {
    fitted.items.emplace_back(fit(b, b.cast(id, b.result_spec().dtype)));
  });
  if (!b.status().ok()) return;
  b.result("aten.cat.default", {{"tensors", std::move(fitted)}, {"dim", dim}});
}
void vstack(Builder& b) { concatenate(b, at_least_2d, 0); }
void dstack(Builder& b) { concatenate(b, at_least_3d, 2); }
void column_stack(Builder& b) { concatenate(b, as_column, 1); }
void hstack(Builder& b) { concatenate(b, at_least_1d, b.result_spec().dims.size() == 1 ? 0 : 1); }

// Positions in row-major memory of the elements of a strided view; nothing when one lies outside of
// `limit` elements or there are too many.
std::optional<std::vector<int64_t>> positions(const std::vector<int64_t>& sizes,
                                              const std::vector<int64_t>& strides, int64_t offset,
                                              int64_t limit) {
  constexpr int64_t kMost = int64_t{1} << 24;
  const auto count = checked_numel(sizes);
  if (!count || *count > kMost || sizes.size() != strides.size()) return std::nullopt;
  std::vector<int64_t> out{offset};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t start : out) {
      for (int64_t i = 0; i < sizes[d]; ++i) {
        const auto step = checked_mul(i, strides[d]);
        const auto position = step ? checked_add(start, *step) : std::nullopt;
        if (!position) return std::nullopt;
        next.push_back(*position);
      }
    }
    out = std::move(next);
  }
  const bool inside =
      std::all_of(out.begin(), out.end(), [&](int64_t p) { return p >= 0 && p < limit; });
  return inside ? std::optional(std::move(out)) : std::nullopt;
}

// functionalise() let only tensors through that are all of their memory, row by row.
void as_strided(Builder& b) {
  const ValueId x = b.tensor("self");
  const Argument size = b.arg("size");
  const Argument stride = b.arg("stride");
  const auto* sizes = std::get_if<std::vector<int64_t>>(&size);
  const auto* strides = std::get_if<std::vector<int64_t>>(&stride);
  const bool has_offset = !is_none(b.arg("storage_offset"));
  const auto offset = has_offset ? int_argument(b.node(), "storage_offset") : int64_t{0};
  if (x == kNoId || sizes == nullptr || strides == nullptr || !offset || !b.spec(x).fixed()) {
    return b.refuse("its sizes are dynamic");
  }
  const int64_t count = checked_numel(b.spec(x).hint_shape()).value_or(0);
  auto places = positions(*sizes, *strides, *offset, count);
  if (!places) return b.refuse("it reads outside of its tensor");
  const ValueId index = b.constant("places", Tensor::of<int64_t>(DType::kInt64, *sizes, *places));
  const ValueId flat =
      b.op("aten.reshape.default", {{"self", ref(x)}, {"shape", std::vector<int64_t>{-1}}},
           b.with_dims(x, {Dim{count, ""}}));
  b.result("aten.index.Tensor", {{"self", ref(flat)}, {"indices", TensorList{{index}}}});
}

constexpr Decomposition kShapes[] = {
    {"aten.as_strided.default", as_strided},
    {"aten.as_strided_copy.default", as_strided},
    {"aten.mT.default", swap_last_two},
    {"aten.fliplr.default", fliplr},
    {"aten.flipud.default", flipud},
    {"aten.ravel.default", ravel},
    {"aten.view_as.default", reshape_like},
    {"aten.reshape_as.default", reshape_like},
    {"aten.expand_as.default", expand_like},
    {"aten.atleast_1d.default", atleast_1d},
    {"aten.atleast_2d.default", atleast_2d},
    {"aten.atleast_3d.default", atleast_3d},
    {"aten.vstack.default", vstack},
    {"aten.row_stack.default", vstack},
    {"aten.hstack.default", hstack},
    {"aten.dstack.default", dstack},
    {"aten.column_stack.default", column_stack},
};

}  // namespace

std::span<const Decomposition> shape_decompositions() { return kShapes; }

}  // namespace changeaware
