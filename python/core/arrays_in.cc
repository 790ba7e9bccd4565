#include "core/arrays_in.h"

#include <fmt/format.h>

#include "core/array.h"
#include "core/dicts.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

// NumPy has no bfloat16; arrays of the dtype of that name (package ml_dtypes) hold its bits.
bool is_numpy_bfloat16(nb::handle value) {
  const nb::object dtype = nb::getattr(value, "dtype", nb::none());
  const nb::object name = nb::getattr(dtype, "name", nb::none());
  return nb::isinstance<nb::str>(name) && nb::cast<std::string>(name) == "bfloat16";
}

Result<Tensor> read_numpy_bfloat16(nb::handle value, const std::string& what,
                                   uint64_t& copied_bytes) {
  const nb::object bits = value.attr("view")("uint16");
  CA_ASSIGN_OR_RETURN(const Tensor tensor, read_buffer(bits, what, copied_bytes));
  return Tensor::borrow(DType::kBFloat16, tensor.shape(), tensor.strides(), tensor.data(),
                        std::make_shared<Tensor>(tensor));
}

Result<Tensor> read(nb::handle value, const std::string& what, std::optional<DType> dtype,
                    uint64_t& copied_bytes) {
  PyObject* const object = value.ptr();
  if (PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object)) {
    return read_number(value, what, dtype);
  }
  if (const Array* const ours = Array::of(value)) return ours->tensor();
  if (PyObject_CheckBuffer(object)) {
    const bool is_numpy = PyObject_HasAttrString(object, "__array_interface__") == 1;
    if (is_numpy && is_numpy_bfloat16(value)) return read_numpy_bfloat16(value, what, copied_bytes);
    return read_buffer(value, what, copied_bytes);
  }
  if (PyObject_HasAttrString(object, "__dlpack__") == 1) return read_dlpack(value, what);
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is a {}; it must be an array (NumPy, PyTorch or anything with "
                            "__dlpack__) or a number",
                            what, shown_type(value)));
}

}  // namespace

std::string shown_type(nb::handle value) {
  const char* const name = Py_TYPE(value.ptr())->tp_name;
  return name;
}

bool is_set(nb::handle value, const char* attribute) {
  PyObject* const found = PyObject_GetAttrString(value.ptr(), attribute);
  if (found == nullptr) {
    PyErr_Clear();
    return false;
  }
  const int truth = found == Py_True ? 1 : found == Py_False ? 0 : PyObject_IsTrue(found);
  Py_DECREF(found);
  if (truth < 0) PyErr_Clear();
  return truth == 1;
}

Result<Tensor> read_array(nb::handle value, const std::string& what, std::optional<DType> dtype,
                          uint64_t& copied_bytes) {
  try {
    return read(value, what, dtype, copied_bytes);
  } catch (nb::python_error& error) {
    return status_of(error, StatusCode::kInvalidArgument).with_context(what);
  }
}

std::map<std::string, Tensor> read_arrays(nb::handle value, const std::string& kind) {
  std::map<std::string, Tensor> out;
  if (value.is_none()) return out;
  const nb::dict entries = dict_of(value);
  uint64_t copied_bytes = 0;
  for (const auto [key, array] : entries) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    out[name] =
        take(read_array(array, fmt::format("{} '{}'", kind, name), std::nullopt, copied_bytes));
  }
  return out;
}

}  // namespace changeaware::python
