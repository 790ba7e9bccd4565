// Products of vectors, matrices and tensors.
// Source: PyTorch documentation of torch and torch.linalg.
#include <algorithm>
#include <limits>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"

namespace changeaware {
namespace {

int64_t count(const Shape& shape, size_t from, size_t to) {
  int64_t product = 1;
  for (size_t i = from; i < to; ++i) product *= shape[i];
  return product;
}

ValueId zeros(Formula& f, ValueId like, const Shape& shape) {
  return f.expand(f.full(like, 0), shape);
}

// [m, k] with [k, n], of which any may be 0.
ValueId matrix_product(Formula& f, ValueId x, ValueId y) {
  const int64_t rows = f.size(x, 0);
  const int64_t columns = f.size(y, 1);
  if (f.numel(x) == 0 || f.numel(y) == 0) return zeros(f, x, {rows, columns});
  return f.matmul(x, y);
}

// A product of nothing is all zeros; others are the engine's.
void empty_product(Builder& b) {
  Formula f(b);
  const TensorSpec spec = b.result_spec();
  bool empty = false;
  for (const ArgSchema& a : b.node().op->args) {
    if (a.type != ArgType::kTensor) continue;
    empty = empty || f.numel(b.tensor(a.name)) == 0;
  }
  if (!f.ok() || !empty || !spec.fixed()) return b.refuse("the engine's own");
  b.result("aten.full.default",
           {{"size", spec.hint_shape()}, {"fill_value", int64_t{0}}, {"dtype", spec.dtype}});
}

// beta self + product, which alpha is a factor of; self is not read for beta 0.
void add_scaled(Formula& f, ValueId product) {
  const double beta = f.number("beta");
  const double alpha = f.number("alpha");
  if (alpha != 1) product = f.times(product, alpha);
  if (beta == 0) {
    const TensorSpec spec = f.b.result_spec();
    if (!spec.fixed()) return f.b.refuse("a size is symbolic");
    return f.b.result(f.expand(product, spec.hint_shape()));
  }
  ValueId self = f.operand("self");
  if (beta != 1) self = f.times(self, beta);
  f.b.result("aten.add.Tensor", {{"self", ref(self)}, {"other", ref(product)}});
}

void addmv(Builder& b) {
  Formula f(b);
  const ValueId matrix = f.operand("mat");
  const ValueId vector = f.operand("vec");
  if (!f.ok() || f.rank(matrix) != 2) return;
  const ValueId product = b.op("aten.mv.default", {{"self", ref(matrix)}, {"vec", ref(vector)}},
                               b.with_dims(matrix, {b.spec(matrix).dims[0]}));
  add_scaled(f, product);
}

// For bool: self or (vec1 and vec2).
void addr(Builder& b) {
  Formula f(b);
  const ValueId column = f.unsqueeze(f.operand("vec1"), 1);
  const ValueId row = f.unsqueeze(f.operand("vec2"), 0);
  if (f.ok() && f.dtype(column) == DType::kBool) {
    const auto on = [&](std::string_view name) {
      const Argument value = b.arg(name);
      return value == Argument(true) || b.number(name).value_or(0) != 0;
    };
    if (!on("alpha") || !on("beta")) return b.refuse("of bool with a factor");
    return b.result(f.either(f.operand("self"), f.both(column, row)));
  }
  add_scaled(f, f.mul(column, row));
}

// sum over the batch of batch1 @ batch2
void addbmm(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("batch1");
  const ValueId y = f.operand("batch2");
  if (f.ok() && (f.numel(x) == 0 || f.numel(y) == 0)) return b.refuse("of no elements");
  add_scaled(f, f.sum(f.matmul(x, y), {0}));
}

struct Contraction {
  std::vector<int64_t> kept, summed;
};

Contraction contraction(Formula& f, ValueId x, const std::vector<int64_t>& dims) {
  Contraction out;
  for (int64_t dim : dims) out.summed.push_back(static_cast<int64_t>(f.axis(x, dim)));
  for (int64_t d = 0; d < static_cast<int64_t>(f.rank(x)); ++d) {
    if (std::find(out.summed.begin(), out.summed.end(), d) == out.summed.end()) {
      out.kept.push_back(d);
    }
  }
  return out;
}

std::vector<int64_t> joined(std::vector<int64_t> first, const std::vector<int64_t>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Sums of products over pairs of dimensions; a dimension of one element broadcasts.
ValueId contract(Formula& f, ValueId x, ValueId y, const std::vector<int64_t>& x_dims,
                 const std::vector<int64_t>& y_dims) {
  if (x_dims.size() != y_dims.size()) f.b.refuse("its dims do not pair");
  for (size_t i = 0; f.ok() && i < x_dims.size(); ++i) {
    const int64_t left = f.size(x, x_dims[i]);
    const int64_t right = f.size(y, y_dims[i]);
    if (left != 1 && right == 1) x = f.sum(x, {x_dims[i]}, true);
    if (left == 1 && right != 1) y = f.sum(y, {y_dims[i]}, true);
  }
  if (f.ok() && x_dims.size() == f.rank(x) && y_dims == x_dims && f.rank(y) == f.rank(x)) {
    return f.sum(f.mul(x, y));
  }
  const Contraction left = contraction(f, x, x_dims);
  const Contraction right = contraction(f, y, y_dims);
  const ValueId rows = f.permute(x, joined(left.kept, left.summed));
  const ValueId columns = f.permute(y, joined(right.summed, right.kept));
  const Shape x_shape = f.shape(rows);
  const Shape y_shape = f.shape(columns);
  if (!f.ok()) return kNoId;
  const size_t kept = left.kept.size();
  const size_t summed = right.summed.size();
  const int64_t length = count(y_shape, 0, summed);
  const ValueId product =
      matrix_product(f, f.reshape(rows, {count(x_shape, 0, kept), length}),
                     f.reshape(columns, {length, count(y_shape, summed, y_shape.size())}));
  Shape result(x_shape.begin(), x_shape.begin() + static_cast<std::ptrdiff_t>(kept));
  result.insert(result.end(), y_shape.begin() + static_cast<std::ptrdiff_t>(summed), y_shape.end());
  return f.reshape(product, result);
}

void tensordot(Builder& b) {
  Formula f(b);
  b.result(contract(f, f.operand("self"), f.operand("other"), f.integers("dims_self"),
                    f.integers("dims_other")));
}

void inner(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId y = f.operand("other");
  if (!f.ok()) return;
  b.result(f.rank(x) == 0 || f.rank(y) == 0 ? f.mul(x, y) : contract(f, x, y, {-1}, {-1}));
}

// x[…, i] weight[o, i, j] y[…, j] + bias[o]
void bilinear(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("input1");
  const ValueId y = f.operand("input2");
  const ValueId weight = f.operand("weight");
  const int64_t outputs = f.size(weight, 0);
  const int64_t length = f.size(weight, 2);
  if (f.ok() && (f.numel(x) == 0 || f.numel(y) == 0 || outputs == 0)) {
    b.refuse("of no elements");
  }
  Shape batch = f.shape(x);
  if (!f.ok()) return;
  const int64_t rows = count(batch, 0, batch.size() - 1);
  const ValueId left = f.reshape(x, {rows, batch.back()});
  const ValueId by_output = contract(f, left, weight, {1}, {1});  // [rows, o, j]
  ValueId result = f.squeeze(f.matmul(by_output, f.reshape(y, {rows, length, 1})), -1);
  if (f.has("bias")) result = f.add(result, f.operand("bias"));
  batch.back() = outputs;
  b.result(f.reshape(result, batch));
}

// sum of i1 i2 i3, each with dimensions of one element put in.
void trilinear(Builder& b) {
  Formula f(b);
  const auto expanded = [&](std::string_view tensor, std::string_view dims) {
    ValueId x = f.operand(tensor);
    for (int64_t dim : f.integers(dims)) x = f.unsqueeze(x, dim);
    return x;
  };
  const ValueId product =
      f.mul(f.mul(expanded("i1", "expand1"), expanded("i2", "expand2")), expanded("i3", "expand3"));
  const std::vector<int64_t> dims = f.integers("sumdim");
  b.result(dims.empty() ? product : f.sum(product, dims));
}

// Blocks: element of one times all of the other.
void kron(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId y = f.operand("other");
  Shape left = f.shape(x);
  Shape right = f.shape(y);
  if (!f.ok()) return;
  const size_t rank = std::max(left.size(), right.size());
  left.insert(left.begin(), rank - left.size(), 1);
  right.insert(right.begin(), rank - right.size(), 1);
  Shape x_shape, y_shape, result;
  for (size_t d = 0; d < rank; ++d) {
    x_shape.insert(x_shape.end(), {left[d], 1});
    y_shape.insert(y_shape.end(), {1, right[d]});
    result.push_back(left[d] * right[d]);
  }
  const ValueId blocks_x = f.reshape(x, x_shape);
  const ValueId blocks_y = f.reshape(y, y_shape);
  const bool is_bool = f.dtype(x) == DType::kBool;
  b.result(f.reshape(is_bool ? f.both(blocks_x, blocks_y) : f.mul(blocks_x, blocks_y), result));
}

// The cheapest order of multiplication, as PyTorch chooses it. splits[i][j]: where i…j divides.
std::vector<std::vector<size_t>> best_splits(const std::vector<int64_t>& sizes) {
  const size_t n = sizes.size() - 1;
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<size_t>> split(n, std::vector<size_t>(n, 0));
  for (size_t length = 1; length < n; ++length) {
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double total = cost[i][k] + cost[k + 1][j] +
                             static_cast<double>(sizes[i]) * static_cast<double>(sizes[k + 1]) *
                                 static_cast<double>(sizes[j + 1]);
        if (total >= cost[i][j]) continue;
        cost[i][j] = total;
        split[i][j] = k;
      }
    }
  }
  return split;
}

ValueId chain(Formula& f, const std::vector<ValueId>& matrices,
              const std::vector<std::vector<size_t>>& splits, size_t i, size_t j) {
  if (i == j || !f.ok()) return matrices[i];
  const size_t k = splits[i][j];
  const ValueId left = chain(f, matrices, splits, i, k);
  return matrix_product(f, left, chain(f, matrices, splits, k + 1, j));
}

void multi_dot(Builder& b) {
  Formula f(b);
  std::vector<ValueId> matrices;
  for_each_value(b.arg("tensors"), [&](ValueId id) { matrices.push_back(id); });
  if (matrices.size() < 2) return b.refuse("of one matrix");
  if (f.rank(matrices.front()) == 1) matrices.front() = f.unsqueeze(matrices.front(), 0);
  if (f.rank(matrices.back()) == 1) matrices.back() = f.unsqueeze(matrices.back(), 1);
  std::vector<int64_t> sizes;
  for (ValueId id : matrices) sizes.push_back(f.size(id, 0));
  sizes.push_back(f.size(matrices.back(), 1));
  if (!f.ok()) return;
  const ValueId product = chain(f, matrices, best_splits(sizes), 0, matrices.size() - 1);
  if (!b.result_spec().fixed()) return b.refuse("a size is symbolic");
  b.result(f.reshape(product, b.result_spec().hint_shape()));
}

void vecdot(Builder& b) {
  Formula f(b);
  b.result(f.sum(f.mul(f.operand("x"), f.operand("y")), {f.integer("dim")}));
}

constexpr Decomposition kProducts[] = {
    {"aten.mm.default", empty_product},
    {"aten.bmm.default", empty_product},
    {"aten.matmul.default", empty_product},
    {"aten.addmv.default", addmv},
    {"aten.addr.default", addr},
    {"aten.addbmm.default", addbmm},
    {"aten.tensordot.default", tensordot},
    {"aten.inner.default", inner},
    {"aten.bilinear.default", bilinear},
    {"aten._trilinear.default", trilinear},
    {"aten.kron.default", kron},
    {"aten.linalg_multi_dot.default", multi_dot},
    {"aten.linalg_vecdot.default", vecdot},
};

}  // namespace

std::span<const Decomposition> product_decompositions() { return kProducts; }

}  // namespace changeaware
