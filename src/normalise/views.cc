#include "normalise/views.h"

#include <algorithm>

#include "base/checked.h"
#include "base/errors.h"

namespace changeaware {
namespace {

using Writer = Result<ValueId> (*)(Rewriter&, const ViewWrite&);

Status refuse(const ViewWrite& write, std::string_view why) {
  return unsupported("a write through the view made by node '{}' ({}) cannot be expressed{}",
                     write.view.name, write.view.op->name, why);
}

Value base_like(const Rewriter& rewriter, const ViewWrite& write, std::string_view name) {
  return rewriter.temporary(name, rewriter.spec(write.base));
}

int64_t rank_of(const Rewriter& rewriter, const ViewWrite& write) {
  return static_cast<int64_t>(rewriter.spec(write.base).dims.size());
}

// A dimension counted from the front, or nothing when it is none.
std::optional<int64_t> wrap(int64_t dim, int64_t rank) {
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return std::nullopt;
  return dim;
}

Result<ValueId> identity(Rewriter&, const ViewWrite& write) { return write.value; }

Result<ValueId> by_select(Rewriter& rewriter, const ViewWrite& write, Argument dim,
                          Argument index) {
  return rewriter.emit("aten.select_scatter.default",
                       {{"self", ValueRef{write.base}},
                        {"src", ValueRef{write.value}},
                        {"dim", std::move(dim)},
                        {"index", std::move(index)}},
                       base_like(rewriter, write, "select_scatter"));
}

Result<ValueId> by_slice(Rewriter& rewriter, const ViewWrite& write, Argument dim, Argument start,
                         Argument end, Argument step) {
  return rewriter.emit("aten.slice_scatter.default",
                       {{"self", ValueRef{write.base}},
                        {"src", ValueRef{write.value}},
                        {"dim", std::move(dim)},
                        {"start", std::move(start)},
                        {"end", std::move(end)},
                        {"step", std::move(step)}},
                       base_like(rewriter, write, "slice_scatter"));
}

Result<ValueId> write_select(Rewriter& rewriter, const ViewWrite& write) {
  return by_select(rewriter, write, argument(write.view, "dim"), argument(write.view, "index"));
}

Result<ValueId> write_slice(Rewriter& rewriter, const ViewWrite& write) {
  const Node& view = write.view;
  return by_slice(rewriter, write, argument(view, "dim"), argument(view, "start"),
                  argument(view, "end"), argument(view, "step"));
}

Result<ValueId> write_diagonal(Rewriter& rewriter, const ViewWrite& write) {
  const Node& view = write.view;
  return rewriter.emit("aten.diagonal_scatter.default",
                       {{"self", ValueRef{write.base}},
                        {"src", ValueRef{write.value}},
                        {"offset", argument(view, "offset")},
                        {"dim1", argument(view, "dim1")},
                        {"dim2", argument(view, "dim2")}},
                       base_like(rewriter, write, "diagonal_scatter"));
}

// Elements [start, start + length) of dimension `dim`.
Result<ValueId> write_range(Rewriter& rewriter, const ViewWrite& write, int64_t dim, int64_t start,
                            int64_t length) {
  const auto end = checked_add(start, length);
  if (start < 0 || length < 0 || !end) return refuse(write, "");
  return by_slice(rewriter, write, dim, start, *end, int64_t{1});
}

Result<ValueId> write_narrow(Rewriter& rewriter, const ViewWrite& write) {
  const auto dim = int_argument(write.view, "dim");
  auto start = int_argument(write.view, "start");
  const auto length = int_argument(write.view, "length");
  if (!dim || !start || !length) return refuse(write, ": its range is computed");
  const auto axis = wrap(*dim, rank_of(rewriter, write));
  if (!axis) return refuse(write, "");
  if (*start < 0) {
    const Dim& size = rewriter.spec(write.base).dims[static_cast<size_t>(*axis)];
    if (!size.fixed()) return refuse(write, ": it counts from the end of a dynamic size");
    *start += size.size;
  }
  return write_range(rewriter, write, *dim, *start, *length);
}

// Equal pieces of `length` along the dimension.
Result<ValueId> write_piece(Rewriter& rewriter, const ViewWrite& write, int64_t dim,
                            int64_t length) {
  const auto start = checked_mul(static_cast<int64_t>(write.result), length);
  const Dim& piece = rewriter.spec(write.value).dims[static_cast<size_t>(dim)];
  if (!start || !piece.fixed()) return refuse(write, ": its size is dynamic");
  return write_range(rewriter, write, dim, *start, piece.size);
}

Result<ValueId> write_split(Rewriter& rewriter, const ViewWrite& write) {
  const auto dim = wrap(int_argument(write.view, "dim").value_or(-1000), rank_of(rewriter, write));
  const auto length = int_argument(write.view, "split_size");
  if (!dim || !length) return refuse(write, ": its pieces are computed");
  return write_piece(rewriter, write, *dim, *length);
}

Result<ValueId> write_chunk(Rewriter& rewriter, const ViewWrite& write) {
  const auto dim = wrap(int_argument(write.view, "dim").value_or(-1000), rank_of(rewriter, write));
  const auto chunks = int_argument(write.view, "chunks");
  if (!dim || !chunks || *chunks <= 0) return refuse(write, ": its pieces are computed");
  const Dim& size = rewriter.spec(write.base).dims[static_cast<size_t>(*dim)];
  if (!size.fixed()) return refuse(write, ": its pieces depend on a dynamic size");
  return write_piece(rewriter, write, *dim,
                     size.size / *chunks + (size.size % *chunks != 0 ? 1 : 0));
}

Result<ValueId> write_split_sizes(Rewriter& rewriter, const ViewWrite& write) {
  const auto dim = wrap(int_argument(write.view, "dim").value_or(-1000), rank_of(rewriter, write));
  const auto* sizes = std::get_if<std::vector<int64_t>>(&write.view.args[1]);
  if (!dim || sizes == nullptr || write.result >= sizes->size()) {
    return refuse(write, ": its pieces are computed");
  }
  int64_t start = 0;
  for (size_t i = 0; i < write.result; ++i) {
    const auto next = checked_add(start, (*sizes)[i]);
    if (!next) return refuse(write, "");
    start = *next;
  }
  return write_range(rewriter, write, *dim, start, (*sizes)[write.result]);
}

Result<ValueId> write_unbind(Rewriter& rewriter, const ViewWrite& write) {
  return by_select(rewriter, write, argument(write.view, "dim"),
                   static_cast<int64_t>(write.result));
}

// The same exchange of two dimensions undoes itself.
Result<ValueId> write_exchange(Rewriter& rewriter, const ViewWrite& write, Argument first,
                               Argument second) {
  return rewriter.emit(
      "aten.transpose.int",
      {{"self", ValueRef{write.value}}, {"dim0", std::move(first)}, {"dim1", std::move(second)}},
      base_like(rewriter, write, "transpose"));
}

Result<ValueId> write_transpose(Rewriter& rewriter, const ViewWrite& write) {
  return write_exchange(rewriter, write, write.view.args[1], write.view.args[2]);
}

Result<ValueId> write_t(Rewriter& rewriter, const ViewWrite& write) {
  if (rank_of(rewriter, write) < 2) return write.value;
  return write_exchange(rewriter, write, int64_t{-2}, int64_t{-1});
}

Result<ValueId> by_permute(Rewriter& rewriter, const ViewWrite& write, std::vector<int64_t> order) {
  return rewriter.emit("aten.permute.default",
                       {{"self", ValueRef{write.value}}, {"dims", std::move(order)}},
                       base_like(rewriter, write, "permute"));
}

Result<ValueId> write_permute(Rewriter& rewriter, const ViewWrite& write) {
  const auto* dims = std::get_if<std::vector<int64_t>>(&argument(write.view, "dims"));
  const int64_t rank = rank_of(rewriter, write);
  if (dims == nullptr || static_cast<int64_t>(dims->size()) != rank) return refuse(write, "");
  std::vector<int64_t> inverse(dims->size(), 0);
  for (size_t i = 0; i < dims->size(); ++i) {
    const auto dim = wrap((*dims)[i], rank);
    if (!dim) return refuse(write, "");
    inverse[static_cast<size_t>(*dim)] = static_cast<int64_t>(i);
  }
  return by_permute(rewriter, write, std::move(inverse));
}

Result<ValueId> write_reverse(Rewriter& rewriter, const ViewWrite& write) {
  std::vector<int64_t> order;
  for (int64_t i = rank_of(rewriter, write); i > 0; --i) order.push_back(i - 1);
  return by_permute(rewriter, write, std::move(order));
}

// Moving back what was moved.
Result<ValueId> write_movedim(Rewriter& rewriter, const ViewWrite& write) {
  return rewriter.emit(write.view.op->name,
                       {{"self", ValueRef{write.value}},
                        {"source", argument(write.view, "destination")},
                        {"destination", argument(write.view, "source")}},
                       base_like(rewriter, write, "movedim"));
}

// The same elements in the same order.
Result<ValueId> write_reshape(Rewriter& rewriter, const ViewWrite& write) {
  CA_ASSIGN_OR_RETURN(Argument sizes, rewriter.sizes_of(write.base));
  return rewriter.emit("aten.reshape.default",
                       {{"self", ValueRef{write.value}}, {"shape", std::move(sizes)}},
                       base_like(rewriter, write, "reshape"));
}

// An expansion that repeats nothing only adds dimensions of one element in front, or none.
Result<ValueId> write_expand(Rewriter& rewriter, const ViewWrite& write) {
  const std::vector<Dim>& from = rewriter.spec(write.base).dims;
  const std::vector<Dim>& to = rewriter.spec(write.value).dims;
  if (from != to) return refuse(write, ": its elements share memory");
  return write.value;
}

struct Entry {
  std::string_view name;
  Writer writer;
};

constexpr Entry kWriters[] = {
    {"aten.alias.default", identity},
    {"aten.contiguous.default", identity},
    {"aten.detach.default", identity},
    {"aten.lift_fresh.default", identity},
    {"aten.lift.default", identity},
    {"aten.positive.default", identity},
    {"aten.to.dtype", identity},
    {"aten.to.device", identity},
    {"aten.to.dtype_layout", identity},
    {"aten.to.other", identity},
    {"aten.type_as.default", identity},
    {"aten.select.int", write_select},
    {"aten.slice.Tensor", write_slice},
    {"aten.narrow.default", write_narrow},
    {"aten.diagonal.default", write_diagonal},
    {"aten.unbind.int", write_unbind},
    {"aten.split.Tensor", write_split},
    {"aten.unsafe_split.Tensor", write_split},
    {"aten.chunk.default", write_chunk},
    {"aten.unsafe_chunk.default", write_chunk},
    {"aten.split.sizes", write_split_sizes},
    {"aten.split_with_sizes.default", write_split_sizes},
    {"aten.unsafe_split_with_sizes.default", write_split_sizes},
    {"aten.transpose.int", write_transpose},
    {"aten.swapaxes.default", write_transpose},
    {"aten.swapdims.default", write_transpose},
    {"aten.t.default", write_t},
    {"aten.mT.default", write_t},
    {"aten.permute.default", write_permute},
    {"aten.numpy_T.default", write_reverse},
    {"aten.movedim.int", write_movedim},
    {"aten.movedim.intlist", write_movedim},
    {"aten.moveaxis.int", write_movedim},
    {"aten.moveaxis.intlist", write_movedim},
    {"aten.view.default", write_reshape},
    {"aten._unsafe_view.default", write_reshape},
    {"aten.view_as.default", write_reshape},
    {"aten.reshape.default", write_reshape},
    {"aten.reshape_as.default", write_reshape},
    {"aten.flatten.using_ints", write_reshape},
    {"aten.unflatten.int", write_reshape},
    {"aten.ravel.default", write_reshape},
    {"aten.squeeze.default", write_reshape},
    {"aten.squeeze.dim", write_reshape},
    {"aten.squeeze.dims", write_reshape},
    {"aten.unsqueeze.default", write_reshape},
    {"aten.expand.default", write_expand},
    {"aten.expand_as.default", write_expand},
    {"aten.broadcast_to.default", write_expand},
};

}  // namespace

Result<ValueId> write_through(Rewriter& rewriter, const ViewWrite& write) {
  const auto* entry = std::find_if(std::begin(kWriters), std::end(kWriters),
                                   [&](const Entry& e) { return e.name == write.view.op->name; });
  if (entry == std::end(kWriters)) return refuse(write, "");
  return entry->writer(rewriter, write);
}

}  // namespace changeaware
