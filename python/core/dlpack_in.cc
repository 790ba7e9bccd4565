#include <fmt/format.h>

#include <memory>

#include "core/arrays_in.h"
#include "core/dlpack.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

template <class... Arguments>
Status refused(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format(text, std::forward<Arguments>(arguments)...));
}

// Gives memory back to its producer, on any thread. Producers may need the GIL for that.
template <class Managed>
std::shared_ptr<const void> keep(Managed* managed) {
  return std::shared_ptr<const void>(managed, [managed](const void*) {
    if (managed->deleter == nullptr || !nb::is_alive()) return;
    const nb::gil_scoped_acquire gil;
    managed->deleter(managed);
  });
}

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

// "cuda:0", as the producer says it.
std::string device_text(nb::handle value) {
  try {
    return text_of(value.attr("device"));
  } catch (nb::python_error&) {
    return "that is not the CPU";
  }
}

bool returns_true(nb::handle value, const char* method) {
  const nb::object found = nb::getattr(value, method, nb::none());
  return !found.is_none() && PyObject_IsTrue(found().ptr()) == 1;
}

// What PyTorch tensors carry besides their memory.
Status check_plain(nb::handle value, const std::string& what) {
  if (is_set(value, "requires_grad")) {
    return refused("{} requires grad; pass tensor.detach()", what);
  }
  if (returns_true(value, "is_conj")) {
    return refused("{} is a conjugated view; pass tensor.resolve_conj()", what);
  }
  if (returns_true(value, "is_neg")) {
    return refused("{} is a negated view; pass tensor.resolve_neg()", what);
  }
  return {};
}

Status check_device(nb::handle value, const std::string& what) {
  try {
    const nb::object device = value.attr("__dlpack_device__")();
    if (nb::cast<int>(nb::object(device[0])) == dlpack::kCpu) return {};
  } catch (nb::python_error&) {  // a device that DLPack does not know
  }
  return refused("{} lives on device {}; pass tensor.cpu()", what, device_text(value));
}

nb::object export_capsule(nb::handle value) {
  const nb::object method = value.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(1, 1));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method();  // a producer from before DLPack 1.0
}

Result<Tensor> borrow(const dlpack::Array& array, const std::string& what,
                      std::shared_ptr<const void> owner) {
  const auto dtype = dlpack::dtype_of(array.dtype);
  if (!dtype) {
    return refused("{} has elements of DLPack type {} of {} bits, which cannot be read", what,
                   array.dtype.code, array.dtype.bits);
  }
  Shape shape(array.shape, array.shape + array.rank);
  std::vector<int64_t> strides;
  if (array.strides != nullptr) strides.assign(array.strides, array.strides + array.rank);
  return Tensor::borrow(*dtype, std::move(shape), std::move(strides),
                        static_cast<const std::byte*>(array.data) + array.byte_offset,
                        std::move(owner));
}

}  // namespace

Result<Tensor> read_dlpack(nb::handle value, const std::string& what) {
  CA_RETURN_IF_ERROR(check_plain(value, what));
  CA_RETURN_IF_ERROR(check_device(value, what));
  const nb::object capsule = export_capsule(value);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto* const managed = static_cast<dlpack::ManagedVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1) {
      return refused("{} speaks DLPack {}.{}; 1.x can be read", what, managed->version.major,
                     managed->version.minor);
    }
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return borrow(managed->array, what, keep(managed));
  }
  if (!PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    return refused("{}: __dlpack__ of {} gives no array", what, shown_type(value));
  }
  auto* const managed =
      static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return borrow(managed->array, what, keep(managed));
}

}  // namespace changeaware::python
