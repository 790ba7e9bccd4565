// Reductions and normalisations.
#include <numeric>

#include "normalise/decompositions/decompositions.h"

namespace changeaware {
namespace {

// An empty list of dimensions means all of them.
void all_dims(Builder& b) {
  const Node& node = b.node();
  std::vector<NamedArgument> args;
  for (const ArgSchema& a : node.op->args) args.push_back({a.name, b.arg(a.name)});
  const auto* first = std::get_if<ValueRef>(&args[0].value);
  const size_t rank = first == nullptr ? 0 : b.spec(first->id).dims.size();
  for (NamedArgument& a : args) {
    auto* dims = std::get_if<std::vector<int64_t>>(&a.value);
    if (a.name != "dim" || dims == nullptr || !dims->empty()) continue;
    dims->resize(rank);
    std::iota(dims->begin(), dims->end(), int64_t{0});
  }
  b.result(node.op->name, std::move(args));
}

void count_nonzero(Builder& b) {
  const ValueId x = b.tensor("self");
  if (x == kNoId) return;
  const ValueId counted = b.cast(b.compare("aten.ne.Scalar", x, int64_t{0}), DType::kInt64);
  Argument dim = b.arg("dim");
  if (const auto* one = std::get_if<int64_t>(&dim)) dim = std::vector<int64_t>{*one};
  if (const auto* list = std::get_if<std::vector<int64_t>>(&dim);
      list != nullptr && list->empty()) {
    dim = None{};
  }
  b.result("aten.sum.dim_IntList", {{"self", ref(counted)}, {"dim", std::move(dim)}});
}

void vdot(Builder& b) {
  b.result("aten.dot.default", {{"self", b.arg("self")}, {"tensor", b.arg("other")}});
}

// sum(x1 / max(|x1|, eps) * x2 / max(|x2|, eps))
ValueId unit(Builder& b, ValueId x, int64_t dim) {
  if (!b.status().ok()) return kNoId;
  std::vector<Dim> dims = b.spec(x).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = dim < 0 ? dim + rank : dim;
  if (rank == 0 && (dim == 0 || dim == -1)) {
    const ValueId length = b.op(
        "aten.clamp_min.default",
        {{"self", ref(b.unary("aten.abs.default", x))}, {"min", b.arg("eps")}}, b.with_dims(x, {}));
    return b.binary("aten.div.Tensor", x, length);
  }
  if (axis < 0 || axis >= rank) {
    b.refuse("its dim is none of its tensors'");
    return kNoId;
  }
  dims[static_cast<size_t>(axis)] = Dim{1, ""};
  const ValueId norm =
      b.op("aten.linalg_vector_norm.default",
           {{"self", ref(x)}, {"dim", std::vector<int64_t>{dim}}, {"keepdim", true}},
           b.with_dims(x, dims));
  const ValueId length = b.op("aten.clamp_min.default",
                              {{"self", ref(norm)}, {"min", b.arg("eps")}}, b.with_dims(x, dims));
  return b.binary("aten.div.Tensor", x, length);
}
void cosine_similarity(Builder& b) {
  const ValueId x1 = b.tensor("x1");
  const ValueId x2 = b.tensor("x2");
  const auto dim = int_argument(b.node(), "dim");
  if (x1 == kNoId || x2 == kNoId || !dim) return b.refuse("its dim is computed");
  const DType dtype = b.result_spec().dtype;
  const size_t rank = std::max(b.spec(x1).dims.size(), b.spec(x2).dims.size());
  if (b.spec(x1).dims.size() != rank || b.spec(x2).dims.size() != rank) {
    return b.refuse("of tensors of different rank");
  }
  const ValueId product = b.binary("aten.mul.Tensor", unit(b, b.cast(x1, dtype), *dim),
                                   unit(b, b.cast(x2, dtype), *dim));
  b.result("aten.sum.dim_IntList", {{"self", ref(product)}, {"dim", std::vector<int64_t>{*dim}}});
}

// The forms of batch normalisation that core ATen has.
void batch_norm(Builder& b) {
  const auto given = [&](std::string_view name, Argument otherwise) {
    return b.node().op->arg_index(name) < 0 ? otherwise : b.arg(name);
  };
  b.result("aten.batch_norm.default", {{"input", b.arg("input")},
                                       {"weight", b.arg("weight")},
                                       {"bias", b.arg("bias")},
                                       {"running_mean", given("running_mean", None{})},
                                       {"running_var", given("running_var", None{})},
                                       {"training", given("training", false)},
                                       {"momentum", b.arg("momentum")},
                                       {"eps", b.arg("eps")},
                                       {"cudnn_enabled", false}});
  // In evaluation mode the statistics are empty.
  for (size_t i = 1; i < b.node().outputs.size(); ++i) {
    if (!b.result_used(i)) continue;
    const TensorSpec spec = b.result_spec(i);
    if (!spec.fixed() || spec.hint_shape() != Shape{0}) return b.refuse("in training mode");
    b.further_result(i,
                     b.op("aten.full.default",
                          {{"size", Shape{0}}, {"fill_value", 0.0}, {"dtype", spec.dtype}}, spec));
  }
}

constexpr Decomposition kReductions[] = {
    {"aten.sum.dim_IntList", all_dims},
    {"aten.mean.dim", all_dims},
    {"aten.amax.default", all_dims},
    {"aten.amin.default", all_dims},
    {"aten.std.correction", all_dims},
    {"aten.var.correction", all_dims},
    {"aten.std.dim", all_dims},
    {"aten.var.dim", all_dims},
    {"aten.count_nonzero.default", count_nonzero},
    {"aten.count_nonzero.dim_IntList", count_nonzero},
    {"aten.vdot.default", vdot},
    {"aten.cosine_similarity.default", cosine_similarity},
    {"aten.native_batch_norm.default", batch_norm, 3},
    {"aten._native_batch_norm_legit.no_stats", batch_norm},
    {"aten._native_batch_norm_legit_no_training.default", batch_norm},
};

}  // namespace

std::span<const Decomposition> reduction_decompositions() { return kReductions; }

}  // namespace changeaware
