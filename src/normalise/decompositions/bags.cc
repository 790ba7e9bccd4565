// Sums and means of embeddings by bags.
#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

// Which bag each index is in: how many bags begin at it or before it, less one.
ValueId bag_of(Formula& f, ValueId offsets, int64_t count, int64_t bags) {
  const ValueId begins = f.slice(f.b.cast(offsets, DType::kInt64), 0, 0, bags);
  const ValueId place = f.reshape(f.count_up("counter", count), {count, 1});
  const ValueId begun = f.compare("ge", place, f.reshape(begins, {1, bags}));
  return f.plus(f.sum(f.b.cast(begun, DType::kInt64), {1}), -1.0);
}

ValueId summed(Formula& f, ValueId rows, ValueId bag, int64_t bags) {
  Shape shape = f.shape(rows);
  if (!f.ok()) return kNoId;
  shape[0] = bags;
  const ValueId zeros = expand(f.b, f.full(rows, 0.0), shape);
  return f.b.op("aten.index_put.default",
                {{"self", ref(zeros)},
                 {"indices", TensorList{{bag}}},
                 {"values", ref(rows)},
                 {"accumulate", true}},
                f.b.with_dims(rows, fixed_dims(shape)));
}

// Rows of a padding index count for nothing.
ValueId without_padding(Formula& f, ValueId rows, ValueId indices, int64_t count, int64_t height) {
  if (f.b.node().op->arg_index("padding_idx") < 0 || is_none(f.b.arg("padding_idx"))) return rows;
  const int64_t given = f.integer("padding_idx");
  const int64_t padding = given < 0 ? given + height : given;
  const ValueId kept = f.is("ne", indices, static_cast<double>(padding));
  return f.where_or(f.reshape(kept, {count, 1}), rows, 0.0);
}

void embedding_bag(Builder& b) {
  Formula f(b);
  const ValueId weight = b.tensor("weight");
  const ValueId offsets = b.tensor("offsets");
  const int64_t mode = f.integer("mode");
  const auto height = fixed_shape(b, weight);
  const auto length = fixed_shape(b, b.tensor("indices"));
  const auto to = fixed_result_shape(b);
  if (!f.ok() || !height || !length || !to || length->size() != 1 || mode > 1 ||
      !b.spec(offsets).fixed() || element_count(*to) == 0 || length->at(0) == 0) {
    return b.refuse("its sizes are dynamic, or it takes the maximum");
  }
  const int64_t count = length->at(0);
  const int64_t bags = to->at(0);
  const ValueId indices = b.cast(b.tensor("indices"), DType::kInt64);
  ValueId rows = select_rows(b, weight, 0, indices);
  if (f.has("per_sample_weights")) {
    rows = f.mul(rows, f.reshape(b.tensor("per_sample_weights"), {count, 1}));
  }
  const ValueId bag = bag_of(f, offsets, count, bags);
  const ValueId sums =
      summed(f, without_padding(f, rows, indices, count, height->at(0)), bag, bags);
  if (mode == 0) return b.result(sums);
  const ValueId ones = expand(b, f.full(rows, 1.0), {count, 1});
  const ValueId counted =
      summed(f, without_padding(f, ones, indices, count, height->at(0)), bag, bags);
  b.result(f.div(sums, f.number_where(f.is("eq", counted, 0.0), 1.0, counted)));
}

constexpr Decomposition kBags[] = {
    {"aten.embedding_bag.default", embedding_bag},
    {"aten.embedding_bag.padding_idx", embedding_bag},
};

}  // namespace

std::span<const Decomposition> bag_decompositions() { return kBags; }

}  // namespace changeaware
