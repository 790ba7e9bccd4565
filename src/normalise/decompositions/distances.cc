// Norms, distances, and the losses that are made of distances.
// Source: PyTorch documentation of torch.nn's distance functions and losses.
#include <cmath>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/losses.h"

namespace changeaware {
namespace {

// Over `dims`, or all. The number of elements that are not 0, for order 0.
ValueId vector_norm(Formula& f, ValueId x, double p, const std::vector<int64_t>& dims, bool keep) {
  if (p != 0) return f.norm(x, p, dims, keep);
  return f.sum(f.b.cast(f.is("ne", x, 0), f.dtype(x)), dims, keep);
}

std::vector<int64_t> all_dims(const Formula& f, ValueId x) {
  std::vector<int64_t> dims(f.rank(x));
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
  return dims;
}

// The difference, of integers without rounding, in the dtype of the result.
ValueId subtract(Formula& f, ValueId x, ValueId y) {
  const DType dtype = f.b.result_spec().dtype;
  const bool floating = f.floating(x) || f.floating(y);
  const DType common = floating ? dtype : DType::kInt64;
  return f.b.cast(f.sub(f.b.cast(x, common), f.b.cast(y, common)), dtype);
}

}  // namespace

ValueId distance(Formula& f, ValueId x, ValueId y, double p, double eps, bool keep) {
  const ValueId z = f.plus(subtract(f, x, y), eps);
  return vector_norm(f, z, p, {-1}, keep);
}

namespace {

void pairwise_distance(Builder& b) {
  Formula f(b);
  b.result(distance(f, b.tensor("x1"), b.tensor("x2"), f.number("p"), f.number("eps"),
                    f.flag("keepdim")));
}

// max(0, margin + d(anchor, positive) - d(anchor, negative)); with swap the nearer of anchor and
// positive counts.
void triplet_margin_loss(Builder& b) {
  Formula f(b);
  const ValueId anchor = b.tensor("anchor");
  const ValueId positive = b.tensor("positive");
  const ValueId negative = b.tensor("negative");
  const double p = f.number("p");
  const double eps = f.number("eps");
  const ValueId near = distance(f, anchor, positive, p, eps, false);
  ValueId far = distance(f, anchor, negative, p, eps, false);
  if (f.flag("swap")) far = f.minimum(far, distance(f, positive, negative, p, eps, false));
  reduce_loss(f, f.at_least(f.sub(f.plus(near, f.number("margin")), far), 0));
}

// Sum of products over one dimension, of integers in int64, as a float.
ValueId product_sum(Formula& f, ValueId x, ValueId y, int64_t dim) {
  return f.b.cast(f.sum(f.mul(x, y), {dim}), f.b.result_spec().dtype);
}

// 1 - cos for target 1, max(0, cos - margin) for target -1.
void cosine_embedding_loss(Builder& b) {
  Formula f(b);
  constexpr double kEps = 1e-12;
  const ValueId target = b.tensor("target");
  ValueId x = b.tensor("input1");
  ValueId y = b.tensor("input2");
  if (!f.ok()) return;
  const bool floating = f.floating(x) || f.floating(y);
  x = b.cast(x, floating ? b.result_spec().dtype : DType::kInt64);
  y = b.cast(y, floating ? b.result_spec().dtype : DType::kInt64);
  const auto dim = static_cast<int64_t>(f.rank(target));
  const ValueId lengths = f.sqrt(
      f.mul(f.plus(product_sum(f, x, x, dim), kEps), f.plus(product_sum(f, y, y, dim), kEps)));
  const ValueId cosine = f.div(product_sum(f, x, y, dim), lengths);
  const ValueId alike = f.where_or(f.is("eq", target, 1), f.plus(f.neg(cosine), 1), 0);
  const ValueId apart = f.at_least(f.plus(cosine, -f.number("margin")), 0);
  reduce_loss(f, f.add(alike, f.where_or(f.is("eq", target, -1), apart, 0)));
}

void dist(Builder& b) {
  Formula f(b);
  const ValueId z = f.sub(f.operand("self"), f.operand("other"));
  b.result(vector_norm(f, z, f.number("p"), all_dims(f, z), false));
}

// Every row of one with every row of the other.
void cdist(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("x1");
  const ValueId y = b.tensor("x2");
  const double p = f.number("p");
  if (!f.ok() || f.rank(x) < 2 || f.rank(y) < 2) return b.refuse("of another form");
  std::vector<Dim> left = b.spec(x).dims;
  std::vector<Dim> right = b.spec(y).dims;
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  if (p != 0 && left == right) return b.refuse("the engine's own");
  const ValueId rows = f.unsqueeze(x, -2);
  const ValueId columns = f.unsqueeze(y, -3);
  const ValueId z =
      p == 0 ? b.cast(f.compare("ne", rows, columns), f.dtype(x)) : f.sub(rows, columns);
  b.result(p == 0 ? f.sum(z, {-1}) : f.norm(z, p, {-1}, false));
}

// Every row with every later one.
void pdist(Builder& b) {
  Formula f(b);
  const ValueId x = b.tensor("self");
  const double p = f.number("p");
  if (f.ok() && (f.rank(x) != 2 || f.size(x, 0) < 2 || f.size(x, 1) == 0)) {
    b.refuse("of no pairs");
  }
  std::vector<int64_t> first, second;
  for (int64_t i = 0; f.ok() && i < f.size(x, 0); ++i) {
    for (int64_t j = i + 1; j < f.size(x, 0); ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  }
  if (!f.ok()) return;
  const auto count = static_cast<int64_t>(first.size());
  const auto rows = [&](std::string_view name, const std::vector<int64_t>& which) {
    const Tensor index = Tensor::of<int64_t>(DType::kInt64, {count}, which);
    return f.index_select(x, 0, b.constant(name, index));
  };
  b.result(vector_norm(f, f.sub(rows("first", first), rows("second", second)), p, {1}, false));
}

// Slices along dim whose norm is more than maxnorm are scaled to it.
void renorm(Builder& b) {
  Formula f(b);
  constexpr double kEps = 1e-7;
  const ValueId x = b.tensor("self");
  const double most = f.number("maxnorm");
  const size_t axis = f.axis(x, f.integer("dim"));
  std::vector<int64_t> others;
  for (size_t d = 0; d < f.rank(x); ++d) {
    if (d != axis) others.push_back(static_cast<int64_t>(d));
  }
  if (others.empty() || !f.ok()) return b.refuse("of another form");
  const ValueId norm = vector_norm(f, x, f.number("p"), others, true);
  const ValueId factor = f.div(f.full(norm, most), f.plus(norm, kEps));
  b.result(f.mul(x, f.where_or(f.is("gt", norm, most), factor, 1)));
}

// Without dimensions; and over all of them, which stand for none given.
void any_vector_norm(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const double p = f.number("ord");
  std::vector<int64_t> dims = f.integers("dim");
  if (dims.empty()) dims = all_dims(f, x);
  if (p == 0) return b.result(vector_norm(f, x, p, dims, f.flag("keepdim")));
  if (f.ok() && f.rank(x) == 0) return b.result(f.abs(x));
  b.result("aten.linalg_vector_norm.default",
           {{"self", ref(x)}, {"ord", p}, {"dim", dims}, {"keepdim", f.flag("keepdim")}});
}

constexpr Decomposition kDistances[] = {
    {"aten.pairwise_distance.default", pairwise_distance},
    {"aten.triplet_margin_loss.default", triplet_margin_loss},
    {"aten.cosine_embedding_loss.default", cosine_embedding_loss},
    {"aten.dist.default", dist},
    {"aten.cdist.default", cdist},
    {"aten.pdist.default", pdist},
    {"aten._pdist_forward.default", pdist},
    {"aten.renorm.default", renorm},
    {"aten.linalg_vector_norm.default", any_vector_norm},
};

}  // namespace

std::span<const Decomposition> distance_decompositions() { return kDistances; }

}  // namespace changeaware
