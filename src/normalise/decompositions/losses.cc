// Loss functions that are formulas of each element.
// Source: PyTorch documentation of torch.nn's loss functions.
#include "normalise/decompositions/losses.h"

#include <numbers>

#include "normalise/decompositions/decompositions.h"

namespace changeaware {

void reduce_loss(Formula& f, ValueId loss) {
  constexpr int64_t kNone = 0, kMean = 1;
  const int64_t reduction = f.integer("reduction");
  if (reduction != kNone && f.ok() && f.b.spec(loss).fixed() && f.numel(loss) == 0) {
    return f.b.refuse("a reduction of no elements");
  }
  if (reduction == kNone) return f.b.result(f.b.cast(loss, f.b.result_spec().dtype));
  if (reduction == kMean) return f.b.result("aten.mean.default", {{"self", ref(loss)}});
  f.b.result("aten.sum.default", {{"self", ref(loss)}});
}

namespace {

ValueId difference(Formula& f) { return f.sub(f.operand("self"), f.operand("target")); }

void mse_loss(Builder& b) {
  Formula f(b);
  const ValueId z = difference(f);
  reduce_loss(f, f.mul(z, z));
}

void l1_loss(Builder& b) {
  Formula f(b);
  reduce_loss(f, f.abs(difference(f)));
}

// |z| < beta ? z² / (2 beta) : |z| - beta / 2
void smooth_l1_loss(Builder& b) {
  Formula f(b);
  const double beta = f.number("beta");
  const ValueId z = f.abs(difference(f));
  if (beta == 0) return reduce_loss(f, z);
  const ValueId near = f.over(f.mul(f.times(z, 0.5), z), beta);
  reduce_loss(f, f.where(f.is("lt", z, beta), near, f.plus(z, -0.5 * beta)));
}

// |z| <= delta ? z² / 2 : delta (|z| - delta / 2)
void huber_loss(Builder& b) {
  Formula f(b);
  const double delta = f.number("delta");
  const ValueId z = f.abs(difference(f));
  const ValueId near = f.mul(f.times(z, 0.5), z);
  const ValueId far = f.times(f.plus(z, -0.5 * delta), delta);
  reduce_loss(f, f.where(f.is("le", z, delta), near, far));
}

// log(1 + exp(-self * target))
void soft_margin_loss(Builder& b) {
  Formula f(b);
  reduce_loss(f, f.log1p(f.exp(f.mul(f.neg(f.operand("self")), f.operand("target")))));
}

// Both of two parts, of which one target each switches off: 1 and -1.
void hinge_embedding_loss(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId target = b.tensor("target");
  const ValueId hinge = f.at_least(f.plus(f.neg(x), f.number("margin")), 0);
  const ValueId apart = f.where_or(f.is("ne", target, 1), hinge, 0);
  reduce_loss(f, f.add(apart, f.where_or(f.is("ne", target, -1), x, 0)));
}

// exp(x) - target x, or x - target log(x + eps); plus Stirling's approximation where target > 1.
void poisson_nll_loss(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("input");
  const ValueId target = f.operand("target");
  if (f.ok() && !f.floating(x)) return b.refuse("of integers");
  const ValueId loss = f.flag("log_input")
                           ? f.sub(f.exp(x), f.mul(target, x))
                           : f.sub(x, f.mul(target, f.log(f.plus(x, f.number("eps")))));
  if (!f.flag("full")) return reduce_loss(f, loss);
  const ValueId root = f.times(f.log(f.times(target, 2 * std::numbers::pi)), 0.5);
  const ValueId stirling = f.add(f.sub(f.mul(target, f.log(target)), target), root);
  reduce_loss(f, f.add(loss, f.number_where(f.is("le", target, 1), 0, stirling)));
}

// x log(x), 0 for 0.
ValueId x_log_x(Formula& f, ValueId x) {
  return f.number_where(f.is("eq", x, 0), 0, f.mul(x, f.log(x)));
}

// target (log(target) - x), or with log_target exp(target) (target - x).
void kl_div(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId target = f.operand("target");
  reduce_loss(f, f.flag("log_target") ? f.mul(f.exp(target), f.sub(target, x))
                                      : f.sub(x_log_x(f, target), f.mul(target, x)));
}

// -(target log(x) + (1 - target) log(1 - x)), logarithms of at least -100.
void binary_cross_entropy(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId target = f.operand("target");
  const ValueId off = f.mul(f.plus(target, -1), f.at_least(f.log1p(f.neg(x)), -100));
  ValueId loss = f.sub(off, f.mul(target, f.at_least(f.log(x), -100)));
  if (f.has("weight")) loss = f.mul(loss, f.operand("weight"));
  reduce_loss(f, loss);
}

// (1 - target) x - log_sigmoid(x), the latter times (pos_weight - 1) target + 1.
void binary_cross_entropy_with_logits(Builder& b) {
  Formula f(b);
  const ValueId x = f.operand("self");
  const ValueId target = f.operand("target");
  ValueId log_sigmoid = f.sub(f.at_most(x, 0), f.log1p(f.exp(f.neg(f.abs(x)))));
  if (f.has("pos_weight")) {
    const ValueId weight = f.plus(f.mul(f.plus(f.operand("pos_weight"), -1), target), 1);
    log_sigmoid = f.mul(log_sigmoid, weight);
  }
  ValueId loss = f.sub(f.mul(f.plus(f.neg(target), 1), x), log_sigmoid);
  if (f.has("weight")) loss = f.mul(loss, f.operand("weight"));
  reduce_loss(f, loss);
}

// max(0, -target (input1 - input2) + margin)
void margin_ranking_loss(Builder& b) {
  Formula f(b);
  const ValueId z = f.sub(f.operand("input1"), f.operand("input2"));
  const ValueId signed_z = f.mul(f.neg(f.operand("target")), z);
  reduce_loss(f, f.at_least(f.plus(signed_z, f.number("margin")), 0));
}

constexpr Decomposition kLosses[] = {
    {"aten.mse_loss.default", mse_loss},
    {"aten.l1_loss.default", l1_loss},
    {"aten.smooth_l1_loss.default", smooth_l1_loss},
    {"aten.huber_loss.default", huber_loss},
    {"aten.soft_margin_loss.default", soft_margin_loss},
    {"aten.hinge_embedding_loss.default", hinge_embedding_loss},
    {"aten.poisson_nll_loss.default", poisson_nll_loss},
    {"aten.kl_div.default", kl_div},
    {"aten.binary_cross_entropy.default", binary_cross_entropy},
    {"aten.binary_cross_entropy_with_logits.default", binary_cross_entropy_with_logits},
    {"aten.margin_ranking_loss.default", margin_ranking_loss},
};

}  // namespace

std::span<const Decomposition> loss_decompositions() { return kLosses; }

}  // namespace changeaware
