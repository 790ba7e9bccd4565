// Evenly and logarithmically spaced numbers, and results that hold no element.
#include <algorithm>
#include <cmath>

#include "normalise/decompositions/decompositions.h"
#include "normalise/decompositions/formula.h"
#include "normalise/decompositions/moves.h"

namespace changeaware {
namespace {

constexpr int64_t kMostNumbers = int64_t{1} << 20;

// PyTorch counts from both ends, so that the last number is the end.
template <class T, class Step>
std::vector<T> spaced(double start, double end, int64_t steps, T (*finish)(double, double),
                      double base) {
  std::vector<T> out;
  if (steps == 1) return {finish(static_cast<double>(static_cast<T>(start)), base)};
  const auto first = static_cast<T>(start);
  const auto last = static_cast<T>(end);
  const Step step =
      (static_cast<Step>(last) - static_cast<Step>(first)) / static_cast<Step>(steps - 1);
  for (int64_t i = 0; i < steps; ++i) {
    const auto from_start = static_cast<Step>(first) + step * static_cast<Step>(i);
    const auto from_end = static_cast<Step>(last) - step * static_cast<Step>(steps - i - 1);
    out.push_back(finish(static_cast<double>(i < steps / 2 ? from_start : from_end), base));
  }
  return out;
}

template <class T>
T plain(double x, double) {
  return static_cast<T>(x);
}
template <class T>
T power(double x, double base) {
  return static_cast<T>(std::pow(base, x));
}

struct Ends {
  double start = 0;
  double end = 0;
  int64_t steps = 0;
};

std::optional<Ends> ends_of(Builder& b) {
  const auto start = b.number("start");
  const auto end = b.number("end");
  const auto steps = int_argument(b.node(), "steps");
  if (start && end && steps && *steps > 0 && *steps <= kMostNumbers) {
    return Ends{*start, *end, *steps};
  }
  b.refuse("its ends are computed");
  return std::nullopt;
}

void linspace(Builder& b) {
  const auto ends = ends_of(b);
  if (!ends) return;
  if (b.result_spec().dtype != DType::kInt64) return b.refuse("engines know it");
  b.result(b.constant(
      "numbers",
      Tensor::of<int64_t>(DType::kInt64, {ends->steps},
                          spaced<int64_t, float>(ends->start, ends->end, ends->steps, plain, 0))));
}

void logspace(Builder& b) {
  const auto ends = ends_of(b);
  const auto base = b.number("base");
  if (!ends || !base) return b.refuse("its base is computed");
  const DType dtype = b.result_spec().dtype;
  const Shape shape{ends->steps};
  if (dtype == DType::kFloat32) {
    return b.result(b.constant(
        "numbers", Tensor::of<float>(
                       dtype, shape,
                       spaced<float, float>(ends->start, ends->end, ends->steps, power, *base))));
  }
  if (dtype != DType::kInt64) return b.refuse("of another dtype");
  b.result(b.constant(
      "numbers", Tensor::of<int64_t>(
                     dtype, shape,
                     spaced<int64_t, float>(ends->start, ends->end, ends->steps, power, *base))));
}

// Ends that are tensors without dimensions.
ValueId spaced_between(Formula& f) {
  const auto steps = int_argument(f.b.node(), "steps");
  if (!steps || *steps < 2 || *steps > kMostNumbers || f.b.result_spec().dtype != DType::kFloat32) {
    f.b.refuse("not of float32");
    return kNoId;
  }
  const auto end_of = [&](std::string_view name) {
    const Argument value = f.b.arg(name);
    const auto* tensor = std::get_if<ValueRef>(&value);
    return tensor == nullptr ? f.b.scalar(value, DType::kFloat32)
                             : f.b.cast(tensor->id, DType::kFloat32);
  };
  const ValueId start = end_of("start");
  const ValueId end = end_of("end");
  const ValueId step = f.over(f.sub(end, start), static_cast<double>(*steps - 1));
  const ValueId count = f.b.cast(f.count_up("counter", *steps), DType::kFloat32);
  const ValueId rest = f.plus(f.neg(count), static_cast<double>(*steps - 1));
  return f.where(f.is("lt", count, static_cast<double>(*steps / 2)),
                 f.add(start, f.mul(step, count)), f.sub(end, f.mul(step, rest)));
}
void linspace_between(Builder& b) {
  Formula f(b);
  b.result(spaced_between(f));
}
void logspace_between(Builder& b) {
  Formula f(b);
  const double base = f.number("base");
  const ValueId exponents = spaced_between(f);
  b.result("aten.pow.Scalar", {{"self", base}, {"exponent", ref(exponents)}});
}

constexpr Decomposition kSequences[] = {
    {"aten.linspace.default", linspace},
    {"aten.linspace.Tensor_Tensor", linspace_between},
    {"aten.linspace.Tensor_Scalar", linspace_between},
    {"aten.linspace.Scalar_Tensor", linspace_between},
    {"aten.logspace.default", logspace},
    {"aten.logspace.Tensor_Tensor", logspace_between},
    {"aten.logspace.Tensor_Scalar", logspace_between},
    {"aten.logspace.Scalar_Tensor", logspace_between},
};

}  // namespace

std::span<const Decomposition> sequence_decompositions() { return kSequences; }

}  // namespace changeaware
