// Tensors of one value, and copies into a given dtype and size. They read sizes, not elements, so
// the sizes are passed as numbers wherever they are fixed.
#include <initializer_list>

#include "normalise/decompositions/decompositions.h"

namespace changeaware {
namespace {

// The result's sizes as an argument: numbers where fixed, else read from `from`, which has them.
Argument result_sizes(Builder& b, std::string_view from) {
  const TensorSpec spec = b.result_spec();
  if (spec.fixed()) return spec.hint_shape();
  const ValueId id = b.tensor(from);
  return id == kNoId ? Argument(None{}) : b.sizes(id);
}

void fill_with(Builder& b, Argument sizes, Argument value) {
  b.result("aten.full.default", {{"size", std::move(sizes)},
                                 {"fill_value", std::move(value)},
                                 {"dtype", b.result_spec().dtype}});
}

void zeros(Builder& b) { fill_with(b, b.arg("size"), int64_t{0}); }
void ones(Builder& b) { fill_with(b, b.arg("size"), int64_t{1}); }
void zeros_like(Builder& b) { fill_with(b, result_sizes(b, "self"), int64_t{0}); }
void ones_like(Builder& b) { fill_with(b, result_sizes(b, "self"), int64_t{1}); }
void full_like(Builder& b) { fill_with(b, result_sizes(b, "self"), b.arg("fill_value")); }
void new_full(Builder& b) { fill_with(b, b.arg("size"), b.arg("fill_value")); }
void fill_number(Builder& b) { fill_with(b, result_sizes(b, "self"), b.arg("value")); }

// The source as the result: its dtype and, by expansion, its sizes.
void expand_into(Builder& b, std::string_view source) {
  const ValueId id = b.tensor(source);
  if (id == kNoId) return;
  const ValueId cast = b.cast(id, b.result_spec().dtype);
  if (b.status().ok() && b.spec(cast).dims == b.result_spec().dims) return b.result(cast);
  b.result("aten.expand.default", {{"self", ref(cast)}, {"size", result_sizes(b, "self")}});
}
void copy(Builder& b) { expand_into(b, "src"); }
void fill_tensor(Builder& b) { expand_into(b, "value"); }

bool on_cpu(Builder& b, std::string_view name) {
  if (b.node().op->arg_index(name) < 0) return true;
  const Argument value = b.arg(name);
  const auto* device = std::get_if<Device>(&value);
  return device == nullptr || device->type == "cpu";
}

// Conversions: only the dtype is part of a value.
void convert(Builder& b) {
  const ValueId id = b.tensor("self");
  if (id == kNoId) return;
  if (!on_cpu(b, "device")) return b.refuse("moves a tensor to another device");
  if (b.spec(id).dtype == b.result_spec().dtype) return b.result(id);
  b.result("aten.to.dtype", {{"self", ref(id)}, {"dtype", b.result_spec().dtype}});
}

constexpr Decomposition kFills[] = {
    {"aten.zeros.default", zeros},
    {"aten.ones.default", ones},
    // Uninitialised elements are any; zeros are the same ones at every call.
    {"aten.empty.memory_format", zeros},
    {"aten.empty_strided.default", zeros},
    {"aten.empty_permuted.default", zeros},
    {"aten.new_empty.default", zeros},
    {"aten.new_empty_strided.default", zeros},
    {"aten.empty_like.default", zeros_like},
    {"aten.new_zeros.default", zeros},
    {"aten.new_ones.default", ones},
    {"aten.new_full.default", new_full},
    {"aten.zeros_like.default", zeros_like},
    {"aten.ones_like.default", ones_like},
    {"aten.full_like.default", full_like},
    {"aten.zero.default", zeros_like},
    {"aten.fill.Scalar", fill_number},
    {"aten.fill.Tensor", fill_tensor},
    {"aten.copy.default", copy},
    {"aten._to_copy.default", convert},
    {"aten.to.dtype_layout", convert},
    {"aten.to.device", convert},
    {"aten.to.other", convert},
    {"aten.type_as.default", convert},
};

}  // namespace

std::span<const Decomposition> fill_decompositions() { return kFills; }

}  // namespace changeaware
