#include "normalise/decompositions/formula.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace changeaware {
namespace {

// A number as an argument of an operator on `dtype`: an int for integers.
std::optional<Argument> number_for(DType dtype, double value) {
  if (is_floating(dtype)) return Argument(value);
  if (value != std::floor(value) || std::abs(value) > 0x1p53) return std::nullopt;
  return Argument(static_cast<int64_t>(value));
}

}  // namespace

size_t Formula::axis(ValueId x, int64_t dim) {
  const auto count = static_cast<int64_t>(std::max<size_t>(rank(x), 1));
  const int64_t index = dim < 0 ? dim + count : dim;
  if (index >= 0 && index < count) return static_cast<size_t>(index);
  b.refuse("its dim is none of its tensor's");
  return 0;
}

int64_t Formula::size(ValueId x, int64_t dim) {
  const size_t index = axis(x, dim);
  if (!ok() || b.spec(x).dims.empty()) return 1;
  if (!b.spec(x).dims[index].fixed()) b.refuse("a size is symbolic");
  return b.spec(x).dims[index].size;
}

Shape Formula::shape(ValueId x) {
  if (!ok()) return {};
  if (!b.spec(x).fixed()) b.refuse("a size is symbolic");
  return b.spec(x).hint_shape();
}

int64_t Formula::numel(ValueId x) {
  int64_t count = 1;
  for (int64_t size : shape(x)) count *= size;
  return count;
}

ValueId Formula::operand(std::string_view name) {
  const ValueId id = b.tensor(name);
  return id == kNoId ? id : b.cast(id, b.result_spec().dtype);
}

double Formula::number(std::string_view name) {
  if (const auto value = b.number(name)) return *value;
  b.refuse("a number is computed");
  return 0;
}

int64_t Formula::integer(std::string_view name) {
  const Argument now = b.arg(name);
  if (const auto* value = std::get_if<int64_t>(&now)) return *value;
  b.refuse("a number is computed");
  return 0;
}

bool Formula::flag(std::string_view name) {
  const Argument now = b.arg(name);
  if (const auto* value = std::get_if<bool>(&now)) return *value;
  b.refuse("a flag is computed");
  return false;
}

std::vector<int64_t> Formula::integers(std::string_view name) {
  const Argument now = b.arg(name);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&now)) return *list;
  if (const auto* one = std::get_if<int64_t>(&now)) return {*one};
  if (!is_none(now)) b.refuse("a list is computed");
  return {};
}

ValueId Formula::with_number(std::string_view op, ValueId x, double y) {
  const auto number = number_for(dtype(x), y);
  if (!number) b.refuse("a fraction meets integers");
  return ok() ? b.binary(op, x, *number) : kNoId;
}

ValueId Formula::at_least(ValueId x, double y) {
  const auto number = number_for(dtype(x), y);
  if (!number) b.refuse("a fraction meets integers");
  if (!ok()) return kNoId;
  return b.op("aten.clamp_min.default", {{"self", ref(x)}, {"min", *number}},
              b.with_dtype(x, dtype(x)));
}

ValueId Formula::at_most(ValueId x, double y) {
  const auto number = number_for(dtype(x), y);
  if (!number) b.refuse("a fraction meets integers");
  if (!ok()) return kNoId;
  return b.op("aten.clamp_max.default", {{"self", ref(x)}, {"max", *number}},
              b.with_dtype(x, dtype(x)));
}

ValueId Formula::compare(std::string_view relation, ValueId x, ValueId y) {
  if (!ok()) return kNoId;
  TensorSpec spec = b.with_dims(x, broadcast_dims(b.spec(x).dims, b.spec(y).dims));
  spec.dtype = DType::kBool;
  return b.op("aten." + std::string(relation) + ".Tensor", {{"self", ref(x)}, {"other", ref(y)}},
              std::move(spec));
}

ValueId Formula::is(std::string_view relation, ValueId x, double number) {
  const auto y = number_for(dtype(x), number);
  if (!y) b.refuse("a fraction meets integers");
  return ok() ? b.compare("aten." + std::string(relation) + ".Scalar", x, *y) : kNoId;
}

ValueId Formula::full(ValueId like, double value) {
  const auto number = number_for(dtype(like), value);
  if (!number) b.refuse("a fraction meets integers");
  return ok() ? b.scalar(*number, dtype(like)) : kNoId;
}

TensorSpec Formula::reduced(ValueId x, const std::vector<int64_t>& dims, bool keep) {
  if (!ok()) return {};
  std::vector<bool> gone(rank(x), dims.empty());
  for (int64_t dim : dims) {
    if (!gone.empty()) gone[axis(x, dim)] = true;
  }
  std::vector<Dim> kept;
  for (size_t i = 0; i < gone.size(); ++i) {
    if (gone[i] && keep) kept.push_back(Dim{1, ""});
    if (!gone[i]) kept.push_back(b.spec(x).dims[i]);
  }
  return b.with_dims(x, std::move(kept));
}

ValueId Formula::sum(ValueId x, const std::vector<int64_t>& dims, bool keep) {
  TensorSpec spec = reduced(x, dims, keep);
  std::vector<int64_t> all = dims;
  if (all.empty()) {
    all.resize(rank(x));
    std::iota(all.begin(), all.end(), int64_t{0});
  }
  if (all.empty()) return x;
  return b.op("aten.sum.dim_IntList", {{"self", ref(x)}, {"dim", all}, {"keepdim", keep}},
              std::move(spec));
}

ValueId Formula::any(ValueId x, int64_t dim, bool keep) {
  TensorSpec spec = reduced(x, {dim}, keep);
  spec.dtype = DType::kBool;
  return b.op("aten.any.dim", {{"self", ref(x)}, {"dim", dim}, {"keepdim", keep}}, std::move(spec));
}

ValueId Formula::cumsum(ValueId x, int64_t dim) {
  if (!ok()) return kNoId;
  return b.op("aten.cumsum.default", {{"self", ref(x)}, {"dim", dim}}, b.with_dtype(x, dtype(x)));
}

ValueId Formula::norm(ValueId x, double ord, const std::vector<int64_t>& dims, bool keep) {
  TensorSpec spec = reduced(x, dims, keep);
  if (rank(x) == 0) return abs(x);
  Argument dim = None{};
  if (!dims.empty()) dim = dims;
  return b.op("aten.linalg_vector_norm.default",
              {{"self", ref(x)}, {"ord", ord}, {"dim", std::move(dim)}, {"keepdim", keep}},
              std::move(spec));
}

ValueId Formula::reshape(ValueId x, const Shape& shape) {
  std::vector<Dim> dims;
  for (int64_t size : shape) dims.push_back(Dim{size, ""});
  if (!ok() || b.spec(x).dims == dims) return x;
  return b.op("aten.reshape.default", {{"self", ref(x)}, {"shape", std::vector<int64_t>(shape)}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::unsqueeze(ValueId x, int64_t dim) {
  if (!ok()) return kNoId;
  std::vector<Dim> dims = b.spec(x).dims;
  const auto count = static_cast<int64_t>(dims.size());
  const int64_t at = dim < 0 ? dim + count + 1 : dim;
  if (at < 0 || at > count) b.refuse("its dim is none of its tensor's");
  if (!ok()) return kNoId;
  dims.insert(dims.begin() + at, Dim{1, ""});
  return b.op("aten.unsqueeze.default", {{"self", ref(x)}, {"dim", at}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::squeeze(ValueId x, int64_t dim) {
  const size_t at = axis(x, dim);
  if (!ok() || rank(x) == 0) return x;
  std::vector<Dim> dims = b.spec(x).dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at));
  return b.op("aten.squeeze.dim", {{"self", ref(x)}, {"dim", static_cast<int64_t>(at)}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::permute(ValueId x, const std::vector<int64_t>& order) {
  if (!ok() || std::is_sorted(order.begin(), order.end())) return x;
  std::vector<Dim> dims;
  for (int64_t d : order) dims.push_back(b.spec(x).dims[static_cast<size_t>(d)]);
  return b.op("aten.permute.default", {{"self", ref(x)}, {"dims", order}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::transpose(ValueId x, int64_t dim0, int64_t dim1) {
  std::vector<int64_t> order(rank(x));
  std::iota(order.begin(), order.end(), int64_t{0});
  const size_t first = axis(x, dim0);
  const size_t second = axis(x, dim1);
  if (!ok() || order.empty()) return x;
  std::swap(order[first], order[second]);
  return permute(x, order);
}

ValueId Formula::expand(ValueId x, const Shape& shape) {
  std::vector<Dim> dims;
  for (int64_t size : shape) dims.push_back(Dim{size, ""});
  if (!ok() || b.spec(x).dims == dims) return x;
  return b.op("aten.expand.default", {{"self", ref(x)}, {"size", std::vector<int64_t>(shape)}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::slice(ValueId x, int64_t dim, int64_t start, int64_t end) {
  const size_t at = axis(x, dim);
  const int64_t count = size(x, dim);
  if (!ok() || rank(x) == 0) return x;
  const auto bounded = [&](int64_t place) {
    return std::clamp(place < 0 ? place + count : place, int64_t{0}, count);
  };
  const int64_t from = bounded(start);
  const int64_t to = std::max(from, bounded(end));
  if (from == 0 && to == count) return x;
  std::vector<Dim> dims = b.spec(x).dims;
  dims[at] = Dim{to - from, ""};
  return b.op("aten.slice.Tensor",
              {{"self", ref(x)}, {"dim", static_cast<int64_t>(at)}, {"start", from}, {"end", to}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::slice_from(ValueId x, int64_t dim, int64_t start) {
  return slice(x, dim, start, size(x, dim));
}

ValueId Formula::select(ValueId x, int64_t dim, int64_t index) {
  const int64_t count = size(x, dim);
  const int64_t from = index < 0 ? index + count : index;
  return squeeze(slice(x, dim, from, from + 1), dim);
}

ValueId Formula::cat(const std::vector<ValueId>& parts, int64_t dim) {
  if (!ok() || parts.empty()) return kNoId;
  const size_t at = axis(parts[0], dim);
  TensorList list;
  int64_t total = 0;
  for (ValueId part : parts) {
    list.items.emplace_back(part);
    total += size(part, dim);
  }
  if (!ok()) return kNoId;
  std::vector<Dim> dims = b.spec(parts[0]).dims;
  dims.at(at) = Dim{total, ""};
  return b.op("aten.cat.default", {{"tensors", std::move(list)}, {"dim", static_cast<int64_t>(at)}},
              b.with_dims(parts[0], std::move(dims)));
}

ValueId Formula::gather(ValueId x, int64_t dim, ValueId index) {
  if (!ok()) return kNoId;
  return b.op("aten.gather.default", {{"self", ref(x)}, {"dim", dim}, {"index", ref(index)}},
              b.with_dims(x, b.spec(index).dims));
}

ValueId Formula::index_select(ValueId x, int64_t dim, ValueId index) {
  const size_t at = axis(x, dim);
  if (!ok()) return kNoId;
  std::vector<Dim> dims = b.spec(x).dims;
  dims.at(at) = b.spec(index).dims.at(0);
  return b.op("aten.index_select.default",
              {{"self", ref(x)}, {"dim", static_cast<int64_t>(at)}, {"index", ref(index)}},
              b.with_dims(x, std::move(dims)));
}

ValueId Formula::matmul(ValueId x, ValueId y) {
  if (!ok()) return kNoId;
  std::vector<Dim> left = b.spec(x).dims;
  std::vector<Dim> right = b.spec(y).dims;
  if (left.size() < 2 || right.size() < 2) b.refuse("a matrix is missing");
  if (!ok()) return kNoId;
  const std::vector<Dim> last{left[left.size() - 2], right.back()};
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  std::vector<Dim> dims = broadcast_dims(left, right);
  dims.insert(dims.end(), last.begin(), last.end());
  return b.op("aten.matmul.default", {{"self", ref(x)}, {"other", ref(y)}},
              b.with_dims(x, std::move(dims)));
}

std::vector<ValueId> Formula::sort(ValueId x, int64_t dim) {
  if (!ok()) return {kNoId, kNoId};
  return b.ops("aten.sort.default", {{"self", ref(x)}, {"dim", dim}},
               {b.with_dtype(x, dtype(x)), b.with_dtype(x, DType::kInt64)});
}

ValueId Formula::count_up(std::string_view name, int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return ok() ? b.constant(name, Tensor::of<int64_t>(DType::kInt64, {count}, numbers)) : kNoId;
}

}  // namespace changeaware
