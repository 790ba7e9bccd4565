// Loss functions whose target names classes.
// Source: PyTorch documentation of NLLLoss, CrossEntropyLoss, MultiMarginLoss and
// MultiLabelMarginLoss.
#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/losses.h"

namespace changeaware {
namespace {

constexpr int64_t kNone = 0, kMean = 1;

// Of inputs [C] or [N, C, …].
int64_t class_dim(Formula& f, ValueId x) { return f.rank(x) == 1 ? 0 : 1; }

// Per-class numbers [C], to be multiplied with `x`.
ValueId along_classes(Formula& f, ValueId per_class, ValueId x) {
  const int64_t dim = class_dim(f, x);
  Shape shape(f.rank(x), 1);
  if (!f.ok()) return kNoId;
  shape[static_cast<size_t>(dim)] = f.size(x, dim);
  return f.reshape(per_class, shape);
}

struct ClassLoss {
  ValueId each;   // 0 where the target is ignored
  ValueId total;  // of the weights that count
};

// -weight[t] x[t] for each target t.
ClassLoss pick_classes(Formula& f, ValueId x, ValueId target, ValueId weight, int64_t ignored) {
  if (f.ok() && (f.rank(x) == 0 || f.rank(target) + 1 != f.rank(x))) {
    f.b.refuse("its target has another rank");
  }
  if (f.ok() && (f.dtype(target) != DType::kInt64 || f.numel(x) == 0)) {
    f.b.refuse("its target names no classes");
  }
  const int64_t dim = class_dim(f, x);
  const ValueId counts = f.is("ne", target, static_cast<double>(ignored));
  const ValueId chosen = f.where_or(counts, target, 0);
  const ValueId picked = f.squeeze(f.gather(x, dim, f.unsqueeze(chosen, dim)), dim);
  ValueId weights = f.b.cast(counts, f.dtype(x));
  ValueId loss = f.neg(picked);
  if (weight != kNoId) {
    const ValueId flat = f.reshape(chosen, {f.numel(chosen)});
    const ValueId of_target = f.reshape(f.index_select(weight, 0, flat), f.shape(target));
    weights = f.where_or(counts, of_target, 0);
    loss = f.mul(loss, of_target);
  }
  return {f.where_or(counts, loss, 0), f.sum(weights)};
}

ValueId reduce_classes(Formula& f, const ClassLoss& loss, int64_t reduction) {
  if (reduction == kNone) return loss.each;
  const ValueId sum = f.sum(loss.each);
  return reduction == kMean ? f.div(sum, loss.total) : sum;
}

ValueId optional_operand(Formula& f, std::string_view name) {
  return f.has(name) ? f.operand(name) : kNoId;
}

void nll_loss(Builder& b) {
  Formula f(b);
  const ClassLoss loss = pick_classes(f, f.operand("self"), b.tensor("target"),
                                      optional_operand(f, "weight"), f.integer("ignore_index"));
  b.result(reduce_classes(f, loss, f.integer("reduction")));
}

ValueId log_softmax(Formula& f, ValueId x) {
  if (!f.ok()) return kNoId;
  return f.b.op("aten.log_softmax.int", {{"self", ref(x)}, {"dim", class_dim(f, x)}},
                f.b.with_dtype(x, f.dtype(x)));
}

// Of target probabilities: -sum(log_softmax(x) target weight).
void probability_cross_entropy(Formula& f, ValueId x, ValueId weight, double smoothing) {
  const int64_t dim = class_dim(f, x);
  const int64_t classes = f.size(x, dim);
  ValueId target = f.operand("target");
  if (f.ok() && (!f.floating(f.b.tensor("target")) || f.numel(x) == 0)) {
    return f.b.refuse("its target has no probabilities");
  }
  if (smoothing > 0) {
    target = f.plus(f.times(target, 1 - smoothing), smoothing / static_cast<double>(classes));
  }
  ValueId product = f.mul(log_softmax(f, x), target);
  if (weight != kNoId) product = f.mul(product, along_classes(f, weight, x));
  const int64_t reduction = f.integer("reduction");
  if (reduction == kNone) return f.b.result(f.neg(f.sum(product, {dim})));
  const ValueId sum = f.neg(f.sum(product));
  const auto rows = static_cast<double>(f.numel(x) / std::max<int64_t>(classes, 1));
  f.b.result(reduction == kMean ? f.reduction_over(sum, rows) : sum);
}

// The loss spread evenly over all classes, where the target is not ignored.
ValueId smooth_loss(Formula& f, ValueId x, ValueId target, ValueId weight, const ClassLoss& loss) {
  const ValueId weighted = weight == kNoId ? x : f.mul(x, along_classes(f, weight, x));
  const ValueId spread = f.neg(f.sum(weighted, {class_dim(f, x)}));
  const auto ignored = static_cast<double>(f.integer("ignore_index"));
  const ValueId each = f.number_where(f.is("eq", target, ignored), 0, spread);
  return reduce_classes(f, {each, loss.total}, f.integer("reduction"));
}

void cross_entropy_loss(Builder& b) {
  Formula f(b);
  const ValueId self = f.operand("self");
  const ValueId target = b.tensor("target");
  const ValueId weight = optional_operand(f, "weight");
  const double smoothing = f.number("label_smoothing");
  if (!f.ok()) return;
  if (b.spec(self).dims == b.spec(target).dims) {
    return probability_cross_entropy(f, self, weight, smoothing);
  }
  const ValueId x = log_softmax(f, self);
  const ClassLoss loss = pick_classes(f, x, target, weight, f.integer("ignore_index"));
  const ValueId nll = reduce_classes(f, loss, f.integer("reduction"));
  if (smoothing <= 0) return b.result(nll);
  const ValueId smooth = smooth_loss(f, x, target, weight, loss);
  const auto classes = static_cast<double>(f.size(x, class_dim(f, x)));
  b.result(f.add(f.times(nll, 1 - smoothing), f.times(smooth, smoothing / classes)));
}

// sum over d != t of max(0, margin - x[t] + x[d])^p weight[t] / C
void multi_margin_loss(Builder& b) {
  Formula f(b);
  ValueId x = f.operand("self");
  const double p = f.number("p");
  if (f.ok() && (f.rank(x) > 2 || (p != 1 && p != 2) || f.numel(x) == 0)) {
    return b.refuse("of another form");
  }
  const int64_t classes = f.size(x, -1);
  const int64_t rows = f.numel(x) / std::max<int64_t>(classes, 1);
  x = f.reshape(x, {rows, classes});
  const ValueId target = f.reshape(b.tensor("target"), {rows, 1});
  const ValueId z = f.plus(f.sub(x, f.gather(x, 1, target)), f.number("margin"));
  ValueId hinge = f.where_or(f.is("gt", z, 0), p == 1 ? z : f.mul(z, z), 0);
  if (f.has("weight")) {
    const ValueId of_target = f.index_select(f.operand("weight"), 0, f.reshape(target, {rows}));
    hinge = f.mul(hinge, f.reshape(of_target, {rows, 1}));
  }
  const ValueId is_target = f.compare("eq", f.count_up("classes", classes), target);
  const ValueId loss = f.reduction_over(f.sum(f.number_where(is_target, 0, hinge), {1}),
                                        static_cast<double>(classes));
  reduce_loss(f,
              f.reshape(loss, b.result_spec().dims.empty() && rows == 1 ? Shape{} : Shape{rows}));
}

// The targets of a row end at the first -1. Each pair of a target j and another class i adds
// max(0, 1 - x[j] + x[i]) / C.
void multilabel_margin_loss(Builder& b) {
  Formula f(b);
  ValueId x = f.operand("self");
  if (f.ok() && (f.rank(x) > 2 || f.numel(x) == 0)) {
    return b.refuse("of another form");
  }
  const int64_t classes = f.size(x, -1);
  const int64_t rows = f.numel(x) / std::max<int64_t>(classes, 1);
  x = f.reshape(x, {rows, classes});
  const ValueId target = f.reshape(b.tensor("target"), {rows, classes});
  const ValueId ends = f.cumsum(b.cast(f.is("lt", target, 0), DType::kInt64), 1);
  const ValueId valid = f.is("eq", ends, 0);
  const ValueId chosen = f.where_or(valid, target, 0);
  // [rows, target, class]
  const ValueId same = f.compare("eq", f.unsqueeze(chosen, 2), f.count_up("classes", classes));
  const ValueId named = f.both(same, f.unsqueeze(valid, 2));
  const ValueId others = f.opposite(f.any(named, 1, true));
  const ValueId z = f.plus(f.sub(f.unsqueeze(x, 1), f.unsqueeze(f.gather(x, 1, chosen), 2)), 1);
  const ValueId counts = f.both(f.both(others, f.unsqueeze(valid, 2)), f.is("gt", z, 0));
  const ValueId loss =
      f.reduction_over(f.sum(f.where_or(counts, z, 0), {1, 2}), static_cast<double>(classes));
  reduce_loss(f,
              f.reshape(loss, b.result_spec().dims.empty() && rows == 1 ? Shape{} : Shape{rows}));
}

constexpr Decomposition kClassLosses[] = {
    {"aten.nll_loss_nd.default", nll_loss},
    {"aten.nll_loss.default", nll_loss},
    {"aten.nll_loss2d.default", nll_loss},
    {"aten.nll_loss_forward.default", nll_loss},
    {"aten.nll_loss2d_forward.default", nll_loss},
    {"aten.cross_entropy_loss.default", cross_entropy_loss},
    {"aten.multi_margin_loss.default", multi_margin_loss},
    {"aten.multilabel_margin_loss.default", multilabel_margin_loss},
};

}  // namespace

std::span<const Decomposition> class_loss_decompositions() { return kClassLosses; }

}  // namespace changeaware
