#include "normalise/decompositions/moves.h"

#include <algorithm>

#include "base/checked.h"

namespace changeaware {
namespace {

// Above this the constant of places outweighs what an engine gains.
constexpr int64_t kMostPlaces = int64_t{1} << 22;

}  // namespace

std::optional<Shape> fixed_shape(const Builder& b, ValueId id) {
  if (id == kNoId || !b.spec(id).fixed()) return std::nullopt;
  return b.spec(id).hint_shape();
}

std::optional<Shape> fixed_result_shape(const Builder& b) {
  const TensorSpec spec = b.result_spec();
  return spec.fixed() ? std::optional(spec.hint_shape()) : std::nullopt;
}

std::vector<Dim> fixed_dims(const Shape& shape) {
  std::vector<Dim> dims;
  for (int64_t size : shape) dims.push_back(Dim{size, ""});
  return dims;
}

int64_t element_count(const Shape& shape) { return checked_numel(shape).value_or(kMostPlaces + 1); }

size_t axis_of(Builder& b, int64_t dim, size_t rank) {
  const auto dims = static_cast<int64_t>(std::max<size_t>(rank, 1));
  const int64_t axis = dim < 0 ? dim + dims : dim;
  if (axis >= 0 && axis < dims) return static_cast<size_t>(axis);
  b.refuse("its dim is none of its tensor's");
  return 0;
}

std::vector<ValueId> tensor_list(const Builder& b, std::string_view name) {
  std::vector<ValueId> out;
  for_each_value(b.arg(name), [&](ValueId id) { out.push_back(id); });
  return out;
}

ValueId operand(Builder& b, std::string_view name) {
  const ValueId id = b.tensor(name);
  return id == kNoId ? id : b.cast(id, b.result_spec().dtype);
}

ValueId reshape(Builder& b, ValueId x, const Shape& shape) {
  if (!b.status().ok() || x == kNoId) return kNoId;
  if (b.spec(x).dims == fixed_dims(shape)) return x;
  return b.op("aten.reshape.default", {{"self", ref(x)}, {"shape", shape}},
              b.with_dims(x, fixed_dims(shape)));
}

ValueId expand(Builder& b, ValueId x, const Shape& shape) {
  if (!b.status().ok() || x == kNoId) return kNoId;
  if (b.spec(x).dims == fixed_dims(shape)) return x;
  return b.op("aten.expand.default", {{"self", ref(x)}, {"size", shape}},
              b.with_dims(x, fixed_dims(shape)));
}

ValueId swap_dims(Builder& b, ValueId x, size_t a, size_t c) {
  if (!b.status().ok() || x == kNoId || a == c) return x;
  std::vector<Dim> dims = b.spec(x).dims;
  std::swap(dims.at(a), dims.at(c));
  return b.op(
      "aten.transpose.int",
      {{"self", ref(x)}, {"dim0", static_cast<int64_t>(a)}, {"dim1", static_cast<int64_t>(c)}},
      b.with_dims(x, std::move(dims)));
}

ValueId concatenated(Builder& b, const std::vector<ValueId>& parts, size_t axis) {
  if (!b.status().ok() || parts.empty()) return kNoId;
  if (parts.size() == 1) return parts[0];
  std::vector<Dim> dims = b.spec(parts[0]).dims;
  TensorList list;
  int64_t total = 0;
  for (ValueId part : parts) {
    list.items.emplace_back(part);
    total += b.spec(part).dims.at(axis).size;
  }
  dims.at(axis) = Dim{total, ""};
  return b.op("aten.cat.default",
              {{"tensors", std::move(list)}, {"dim", static_cast<int64_t>(axis)}},
              b.with_dims(parts[0], std::move(dims)));
}

ValueId int_constant(Builder& b, std::string_view name, const Shape& shape,
                     const std::vector<int64_t>& values) {
  if (!b.status().ok()) return kNoId;
  return b.constant(name, Tensor::of<int64_t>(DType::kInt64, shape, values));
}

ValueId select_rows(Builder& b, ValueId x, size_t axis, ValueId index) {
  if (!b.status().ok() || x == kNoId || index == kNoId) return kNoId;
  std::vector<Dim> dims = b.spec(x).dims;
  dims.at(axis) = b.spec(index).dims.at(0);
  return b.op("aten.index_select.default",
              {{"self", ref(x)}, {"dim", static_cast<int64_t>(axis)}, {"index", ref(index)}},
              b.with_dims(x, std::move(dims)));
}

ValueId from_start(Builder& b, ValueId index, int64_t extent) {
  if (!b.status().ok() || index == kNoId) return kNoId;
  const ValueId wide = b.cast(index, DType::kInt64);
  const ValueId shifted = b.binary("aten.add.Scalar", wide, Argument(extent));
  return b.where(b.compare("aten.lt.Scalar", wide, int64_t{0}), shifted, wide);
}

ValueId pick(Builder& b, ValueId x, const std::vector<int64_t>& places, const Shape& shape) {
  const auto from = fixed_shape(b, x);
  if (!from || static_cast<int64_t>(places.size()) > kMostPlaces) {
    b.refuse("its sizes are dynamic or large");
    return kNoId;
  }
  const int64_t count = element_count(*from);
  ValueId flat = reshape(b, x, {count});
  if (std::find(places.begin(), places.end(), count) != places.end()) {
    const ValueId zero =
        b.op("aten.full.default",
             {{"size", Shape{1}}, {"fill_value", int64_t{0}}, {"dtype", b.spec(x).dtype}},
             b.with_dims(x, fixed_dims({1})));
    flat = concatenated(b, {flat, zero}, 0);
  }
  const ValueId index = int_constant(b, "places", {static_cast<int64_t>(places.size())}, places);
  return reshape(b, select_rows(b, flat, 0, index), shape);
}

std::vector<int64_t> places_of(const Shape& shape,
                               const std::function<int64_t(const Shape&)>& place) {
  std::vector<int64_t> out;
  const int64_t count = element_count(shape);
  if (count > kMostPlaces) return std::vector<int64_t>(static_cast<size_t>(kMostPlaces) + 1);
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(place(index));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

int64_t position(const Shape& shape, const Shape& index) {
  int64_t out = 0;
  for (size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + index[d];
  return out;
}

}  // namespace changeaware
