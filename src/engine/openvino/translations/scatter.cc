// Writing a part of a tensor (the functional forms of writes through views), and diagonals.
#include <numeric>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

Output expanded_source(const OpContext& context) {
  return convert(context.tensor("src"), context.result_type());
}

ov::OutputVector select_scatter(const OpContext& context) {
  const TensorSpec& spec = context.spec_of("self");
  const int64_t dim = wrap_dim(context.integer("dim"), spec.dims.size());
  const Dim& extent = spec.dims.at(static_cast<size_t>(dim));
  int64_t index = context.integer("index");
  if (index < 0) {
    if (!extent.fixed()) throw Refusal("a negative index into a symbolic dimension");
    index += extent.size;
  }
  const Output updates = make<op::Unsqueeze>(expanded_source(context), int_list({dim}));
  return {
      make<op::ScatterUpdate>(context.tensor("self"), int_list({index}), updates, int_scalar(dim))};
}

struct Slice {
  int64_t begin, end, step, count;
};

// As Python slices: bounds count from the end when negative, and are clamped.
Slice slice_of(const OpContext& context, int64_t extent) {
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    int64_t b = context.has(name) ? context.integer(name) : otherwise;
    if (b < 0) b += extent;
    return std::clamp<int64_t>(b, 0, extent);
  };
  Slice s{bound("start", 0), bound("end", extent), context.integer("step"), 0};
  s.end = std::max(s.end, s.begin);
  s.count = (s.end - s.begin + s.step - 1) / s.step;
  return s;
}

ov::OutputVector slice_scatter(const OpContext& context) {
  const TensorSpec& spec = context.spec_of("self");
  const int64_t dim = wrap_dim(context.integer("dim"), spec.dims.size());
  const Dim& extent = spec.dims.at(static_cast<size_t>(dim));
  if (!extent.fixed()) throw Refusal("a slice of a symbolic dimension");
  const Slice s = slice_of(context, extent.size);
  const Output self = context.tensor("self");
  const Output source = expanded_source(context);
  if (s.count == 0) return {self};
  if (s.step != 1) {
    std::vector<int64_t> indices(static_cast<size_t>(s.count));
    for (int64_t i = 0; i < s.count; ++i) indices[static_cast<size_t>(i)] = s.begin + i * s.step;
    return {make<op::ScatterUpdate>(self, int_list(indices), source, int_scalar(dim))};
  }
  const auto part = [&](int64_t begin, int64_t end) {
    return make<op::Slice>(self, int_list({begin}), int_list({end}), int_list({1}),
                           int_list({dim}));
  };
  ov::OutputVector parts;
  if (s.begin > 0) parts.push_back(part(0, s.begin));
  parts.push_back(source);
  if (s.end < extent.size) parts.push_back(part(s.end, extent.size));
  if (parts.size() == 1) return {source};
  return {make<op::Concat>(parts, dim)};
}

// A tensor as [other dimensions…, rows * columns], and where its diagonal lies in the last one.
struct Diagonal {
  std::vector<int64_t> order;      // puts dim1 and dim2 last
  std::vector<int64_t> others;     // sizes of the other dimensions
  Shape shape;                     // of self
  std::vector<int64_t> positions;  // in rows * columns
  int64_t rows, columns;
};

Diagonal diagonal_of(const OpContext& context) {
  Diagonal d;
  d.shape = context.fixed_shape_of("self");
  const int64_t dim1 = wrap_dim(context.integer("dim1"), d.shape.size());
  const int64_t dim2 = wrap_dim(context.integer("dim2"), d.shape.size());
  for (int64_t i = 0; i < static_cast<int64_t>(d.shape.size()); ++i) {
    if (i == dim1 || i == dim2) continue;
    d.order.push_back(i);
    d.others.push_back(d.shape[static_cast<size_t>(i)]);
  }
  d.order.push_back(dim1);
  d.order.push_back(dim2);
  d.rows = d.shape.at(static_cast<size_t>(dim1));
  d.columns = d.shape.at(static_cast<size_t>(dim2));
  const int64_t offset = context.integer("offset");
  for (int64_t r = std::max<int64_t>(0, -offset); r < d.rows && r + offset < d.columns; ++r) {
    d.positions.push_back(r * d.columns + r + offset);
  }
  if (d.positions.empty()) throw Refusal("an empty diagonal");
  return d;
}

Output rows_flattened(const Output& x, const Diagonal& d) {
  std::vector<int64_t> flat = d.others;
  flat.push_back(d.rows * d.columns);
  return reshape(transpose(x, d.order), flat);
}

ov::OutputVector diagonal(const OpContext& context) {
  const Diagonal d = diagonal_of(context);
  const auto axis = static_cast<int64_t>(d.others.size());
  return {make<op::Gather>(rows_flattened(context.tensor("self"), d), int_list(d.positions),
                           int_scalar(axis))};
}

ov::OutputVector diagonal_scatter(const OpContext& context) {
  const Diagonal d = diagonal_of(context);
  const auto axis = static_cast<int64_t>(d.others.size());
  const Output written =
      make<op::ScatterUpdate>(rows_flattened(context.tensor("self"), d), int_list(d.positions),
                              expanded_source(context), int_scalar(axis));
  std::vector<int64_t> shape = d.others;
  shape.push_back(d.rows);
  shape.push_back(d.columns);
  std::vector<int64_t> inverse(d.order.size());
  for (size_t i = 0; i < d.order.size(); ++i) {
    inverse[static_cast<size_t>(d.order[i])] = static_cast<int64_t>(i);
  }
  return {transpose(reshape(written, shape), inverse)};
}

constexpr Translation kTable[] = {
    {"aten.select_scatter.default", select_scatter},
    {"aten.slice_scatter.default", slice_scatter},
    {"aten.diagonal.default", diagonal},
    {"aten.diagonal_copy.default", diagonal},
    {"aten.diagonal_scatter.default", diagonal_scatter},
};

}  // namespace

std::span<const Translation> scatter_translations() { return kTable; }

}  // namespace changeaware::ovn
