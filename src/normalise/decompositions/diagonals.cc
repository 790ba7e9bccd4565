// Operators that move elements to places that the sizes alone tell.
#include <algorithm>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

void dynamic(Builder& b) { b.refuse("its sizes are dynamic"); }

// A diagonal of a batch of matrices, which engines know.
void linalg_diagonal(Builder& b) {
  b.result("aten.diagonal.default", {{"self", b.arg("A")},
                                     {"offset", b.arg("offset")},
                                     {"dim1", b.arg("dim1")},
                                     {"dim2", b.arg("dim2")}});
}

// Zero but for index[second] - index[first] = offset, where the elements of `x` are, its last
// dimension along the diagonal.
void embed(Builder& b, ValueId x, int64_t offset, size_t first, size_t second) {
  const auto from = fixed_shape(b, x);
  const auto to = fixed_result_shape(b);
  if (!from || !to) return dynamic(b);
  if (!b.status().ok()) return;
  const auto place = [&](const Shape& index) {
    if (index[second] - index[first] != offset) return element_count(*from);
    Shape source;
    for (size_t d = 0; d < index.size(); ++d) {
      if (d != first && d != second) source.push_back(index[d]);
    }
    source.push_back(offset >= 0 ? index[first] : index[second]);
    return position(*from, source);
  };
  b.result(pick(b, x, places_of(*to, place), *to));
}

void diag_embed(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto offset = int_argument(b.node(), "offset");
  const auto first = int_argument(b.node(), "dim1");
  const auto second = int_argument(b.node(), "dim2");
  if (x == kNoId || !offset || !first || !second) return dynamic(b);
  const size_t rank = b.spec(x).dims.size() + 1;
  const size_t row = axis_of(b, *first, rank);
  const size_t column = axis_of(b, *second, rank);
  if (b.status().ok()) embed(b, x, *offset, row, column);
}

void diag(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto offset = int_argument(b.node(), "diagonal");
  if (x == kNoId || !offset) return dynamic(b);
  if (b.spec(x).dims.size() == 1) return embed(b, x, *offset, 0, 1);
  b.result("aten.diagonal.default", {{"self", ref(x)}, {"offset", *offset}});
}

void diagflat(Builder& b) {
  const ValueId x = b.tensor("self");
  const auto offset = int_argument(b.node(), "offset");
  const auto shape = fixed_shape(b, x);
  if (!shape || !offset) return dynamic(b);
  embed(b, reshape(b, x, {element_count(*shape)}), *offset, 0, 1);
}

// Matrices along the diagonal of one matrix; what has one dimension is a row.
void block_diag(Builder& b) {
  const auto to = fixed_result_shape(b);
  if (!to) return dynamic(b);
  std::vector<ValueId> parts;
  std::vector<Shape> blocks;
  for (ValueId id : tensor_list(b, "tensors")) {
    auto shape = fixed_shape(b, id);
    if (!shape) return dynamic(b);
    parts.push_back(reshape(b, b.cast(id, b.result_spec().dtype), {element_count(*shape)}));
    while (shape->size() < 2) shape->insert(shape->begin(), 1);
    blocks.push_back(*shape);
  }
  int64_t total = 0;
  for (const Shape& block : blocks) total += element_count(block);
  const auto place = [&](const Shape& index) {
    int64_t start = 0;
    int64_t row = index[0];
    int64_t column = index[1];
    for (const Shape& block : blocks) {
      const bool inside = row >= 0 && row < block[0] && column >= 0 && column < block[1];
      if (inside) return start + row * block[1] + column;
      start += element_count(block);
      row -= block[0];
      column -= block[1];
    }
    return total;
  };
  b.result(pick(b, concatenated(b, parts, 0), places_of(*to, place), *to));
}

// Every combination of one element of each, the last varying fastest.
void cartesian_prod(Builder& b) {
  const auto to = fixed_result_shape(b);
  const std::vector<ValueId> parts = tensor_list(b, "tensors");
  if (!to || parts.empty()) return dynamic(b);
  if (parts.size() == 1) return b.result(parts[0]);
  const int64_t rows = to->at(0);
  std::vector<ValueId> columns;
  int64_t repeats = rows;
  for (ValueId part : parts) {
    const auto shape = fixed_shape(b, part);
    if (!shape || element_count(*shape) == 0) return dynamic(b);
    const int64_t count = element_count(*shape);
    repeats /= count;
    const auto place = [&](const Shape& index) { return index[0] / repeats % count; };
    columns.push_back(pick(b, part, places_of({rows, 1}, place), {rows, 1}));
  }
  b.result(concatenated(b, columns, 1));
}

// Row and column indices of a triangle of a matrix.
void triangle(Builder& b, bool lower) {
  const auto rows = int_argument(b.node(), "row");
  const auto columns = int_argument(b.node(), "col");
  const auto offset = int_argument(b.node(), "offset");
  const auto to = fixed_result_shape(b);
  if (!rows || !columns || !offset || !to) return dynamic(b);
  if (element_count(*to) > (int64_t{1} << 22)) return b.refuse("many indices");
  std::vector<int64_t> indices[2];
  for (int64_t r = 0; r < *rows; ++r) {
    const int64_t border = std::clamp(lower ? r + *offset + 1 : r + *offset, int64_t{0}, *columns);
    for (int64_t c = lower ? 0 : border; c < (lower ? border : *columns); ++c) {
      indices[0].push_back(r);
      indices[1].push_back(c);
    }
  }
  indices[0].insert(indices[0].end(), indices[1].begin(), indices[1].end());
  b.result(b.cast(int_constant(b, "indices", *to, indices[0]), b.result_spec().dtype));
}
void tril_indices(Builder& b) { triangle(b, true); }
void triu_indices(Builder& b) { triangle(b, false); }

// Rolls every dimension by half of it.
void shift(Builder& b, bool forward) {
  const ValueId x = b.tensor("self");
  const auto shape = fixed_shape(b, x);
  if (!shape) return dynamic(b);
  const Argument given = b.arg("dim");
  const auto* listed = std::get_if<std::vector<int64_t>>(&given);
  std::vector<int64_t> dims;
  std::vector<int64_t> shifts;
  for (size_t d = 0; d < (listed == nullptr ? shape->size() : listed->size()); ++d) {
    dims.push_back(listed == nullptr ? static_cast<int64_t>(d) : (*listed)[d]);
    const int64_t size = shape->at(axis_of(b, dims.back(), shape->size()));
    shifts.push_back(forward ? size / 2 : (size + 1) / 2);
  }
  if (!b.status().ok() || dims.empty()) return b.refuse("it has no dimensions");
  b.result("aten.roll.default", {{"self", ref(x)}, {"shifts", shifts}, {"dims", dims}});
}
void fftshift(Builder& b) { shift(b, true); }
void ifftshift(Builder& b) { shift(b, false); }

// The conjugate transpose, of real numbers.
void adjoint(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId || complex_numbers(b.spec(x).dtype)) return b.refuse("of complex numbers");
  if (b.spec(x).dims.size() < 2) return b.result(x);
  b.result("aten.transpose.int", {{"self", ref(x)}, {"dim0", int64_t{-2}}, {"dim1", int64_t{-1}}});
}

// Each tensor in `num_chunks` parts along `dim`, filled up with zeros; part by part side by side.
ValueId chunked(Builder& b, ValueId x, size_t axis, int64_t chunks) {
  const auto from = fixed_shape(b, x);
  if (!from || axis >= from->size()) {
    dynamic(b);
    return kNoId;
  }
  const auto lead = from->begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t extent = *lead;
  const int64_t rest = element_count(Shape(lead + 1, from->end()));
  const int64_t size = (extent + chunks - 1) / chunks;
  Shape to(from->begin(), lead);
  to.push_back(chunks);
  to.push_back(size * rest);
  const auto place = [&](const Shape& index) {
    int64_t outer = 0;
    for (size_t d = 0; d < axis; ++d) outer = outer * (*from)[d] + index[d];
    const int64_t row = index[axis] * size + (rest == 0 ? 0 : index[axis + 1] / rest);
    if (row >= extent) return element_count(*from);
    return (outer * extent + row) * rest + index[axis + 1] % rest;
  };
  return pick(b, x, places_of(to, place), to);
}
void chunk_cat(Builder& b) {
  const auto dim = int_argument(b.node(), "dim");
  const auto chunks = int_argument(b.node(), "num_chunks");
  const std::vector<ValueId> tensors = tensor_list(b, "tensors");
  if (!dim || !chunks || *chunks < 1 || tensors.empty()) return dynamic(b);
  const size_t axis = axis_of(b, *dim, b.spec(tensors[0]).dims.size());
  std::vector<ValueId> parts;
  for (ValueId id : tensors) parts.push_back(chunked(b, id, axis, *chunks));
  b.result(concatenated(b, parts, axis + 1));
}

constexpr Decomposition kDiagonals[] = {
    {"aten.linalg_diagonal.default", linalg_diagonal},
    {"aten.diag_embed.default", diag_embed},
    {"aten.diag.default", diag},
    {"aten.diagflat.default", diagflat},
    {"aten.block_diag.default", block_diag},
    {"aten.cartesian_prod.default", cartesian_prod},
    {"aten.tril_indices.default", tril_indices},
    {"aten.triu_indices.default", triu_indices},
    {"aten.fft_fftshift.default", fftshift},
    {"aten.fft_ifftshift.default", ifftshift},
    {"aten.mH.default", adjoint},
    {"aten.matrix_H.default", adjoint},
    {"aten.adjoint.default", adjoint},
    {"aten._chunk_cat.default", chunk_cat},
};

}  // namespace

std::span<const Decomposition> diagonal_decompositions() { return kDiagonals; }

}  // namespace changeaware
