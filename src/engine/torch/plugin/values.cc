#include "engine/torch/plugin/values.h"

#include <ATen/ScalarOps.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

namespace changeaware::torch_plugin {
namespace {

c10::IntArrayRef sizes_of(const CaTorchTensor& memory) {
  return {memory.sizes, static_cast<size_t>(memory.rank)};
}

// What of a result can be given back as strided memory; conjugation and negation are made real.
at::Tensor plain_tensor(const at::Tensor& t) {
  TORCH_CHECK(t.defined(), "the result is no tensor");
  TORCH_CHECK(t.device().is_cpu(), "the result is on ", t.device().str());
  TORCH_CHECK(t.layout() == c10::kStrided && !t.is_nested(), "the result is not strided");
  TORCH_CHECK(!t.is_quantized(), "the result is quantised");
  TORCH_CHECK(!t.unsafeGetTensorImpl()->has_symbolic_sizes_strides() && t.has_storage(),
              "the result has no memory");
  return t.resolve_conj().resolve_neg();
}

bool owns_its_memory_alone(const at::Tensor& t, const Storages& constants, const Storages& taken) {
  const c10::StorageImpl* storage = t.storage().unsafeGetStorageImpl();
  if (constants.count(storage) > 0 || taken.count(storage) > 0) return false;
  return t.is_non_overlapping_and_dense() && storage->nbytes() == t.nbytes();
}

at::Tensor number_tensor(const c10::IValue& number) {
  if (number.isBool()) return at::scalar_to_tensor(number.toBool());
  if (number.isDouble()) return at::scalar_to_tensor(number.toDouble());
  TORCH_CHECK(number.isInt() || number.isSymInt(), "the result is of kind ", number.tagKind());
  return at::scalar_to_tensor(number.toInt());
}

}  // namespace

at::Tensor over_memory(const CaTorchTensor& memory) {
  const auto dtype = static_cast<c10::ScalarType>(memory.dtype);
  const c10::IntArrayRef strides(memory.strides, static_cast<size_t>(memory.rank));
  return at::from_blob(memory.data, sizes_of(memory), strides, c10::TensorOptions(dtype));
}

c10::IValue number_in(const CaTorchTensor& memory) {
  return c10::IValue(over_memory(memory).item());
}

Number to_number(const c10::IValue& value) {
  if (value.isBool()) return value.toBool();
  if (value.isDouble()) return value.toDouble();
  if (value.isTensor()) return to_number(c10::IValue(value.toTensor().item()));
  TORCH_CHECK(value.isInt() || value.isSymInt(), "a number is needed, not a ", value.tagKind());
  return value.toInt();
}

c10::IValue to_ivalue(const Number& number) {
  return std::visit([](auto v) { return c10::IValue(v); }, number);
}

at::Tensor wrapped_number(const c10::IValue& number) {
  at::Tensor out = at::scalar_to_tensor(number.toScalar());
  out.unsafeGetTensorImpl()->set_wrapped_number(true);
  return out;
}

void give_back(const c10::IValue& result, const Storages& constants, Storages& taken,
               CaTorchOutput& out) {
  at::Tensor t = result.isTensor() ? plain_tensor(result.toTensor()) : number_tensor(result);
  if (out.is_given != 0) {
    at::Tensor place = over_memory(out.given);
    TORCH_CHECK(place.sizes() == t.sizes() && (place.dtype() == t.dtype() || !result.isTensor()),
                "the result is ", t.dtype(), t.sizes(), ", and the tensor given for it is ",
                place.dtype(), place.sizes());
    place.copy_(t);
    return;
  }
  if (!owns_its_memory_alone(t, constants, taken)) t = t.clone(c10::MemoryFormat::Preserve);
  if (!owns_its_memory_alone(t, constants, taken)) t = t.clone(c10::MemoryFormat::Contiguous);
  taken.insert(t.storage().unsafeGetStorageImpl());
  auto* owner = new at::Tensor(std::move(t));
  out.owner = owner;
  out.given.dtype = static_cast<int32_t>(owner->scalar_type());
  out.given.rank = static_cast<int32_t>(owner->dim());
  out.given.sizes = owner->sizes().data();
  out.given.strides = owner->strides().data();
  out.given.data = owner->data_ptr();
}

}  // namespace changeaware::torch_plugin
