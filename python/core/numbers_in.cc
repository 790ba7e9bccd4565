#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/arrays_in.h"

namespace changeaware::python {
namespace {

template <class... Arguments>
Status refused(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format(text, std::forward<Arguments>(arguments)...));
}

std::string shown(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

Status not_held(nb::handle value, const std::string& what, DType dtype) {
  return refused("{} is the Python {} {}, which {} does not hold", what, shown_type(value),
                 shown(value), dtype_name(dtype));
}

template <class T>
Result<Tensor> read_integer(nb::handle value, const std::string& what, DType dtype) {
  T number = 0;
  if (std::is_signed_v<T>) {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    number = static_cast<T>(wide);
    if (overflow != 0 || number != wide) return not_held(value, what, dtype);
  } else {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return not_held(value, what, dtype);
    }
    number = static_cast<T>(wide);
    if (number != wide) return not_held(value, what, dtype);
  }
  return Tensor::of<T>(dtype, {}, {number});
}

// A Python float has no dtype: it is rounded to the nearest of the port's. An int must fit exactly.
template <class T>
Result<Tensor> read_float(nb::handle value, const std::string& what, DType dtype) {
  const double wide = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return not_held(value, what, dtype);
  }
  const T number = static_cast<T>(wide);
  if (std::isfinite(wide) && !std::isfinite(number)) return not_held(value, what, dtype);
  if (PyLong_CheckExact(value.ptr())) {
    const nb::object back = nb::steal(PyLong_FromDouble(number));
    if (!back.is_valid() || !back.equal(value)) return not_held(value, what, dtype);
  }
  return Tensor::of<T>(dtype, {}, {number});
}

// The dtype that a number has where nobody says one: PyTorch's.
DType default_dtype(nb::handle value) {
  if (PyBool_Check(value.ptr())) return DType::kBool;
  return PyLong_CheckExact(value.ptr()) ? DType::kInt64 : DType::kFloat32;
}

}  // namespace

Result<Tensor> read_number(nb::handle value, const std::string& what, std::optional<DType> wanted) {
  const DType dtype = wanted.value_or(default_dtype(value));
  if (PyBool_Check(value.ptr()) != (dtype == DType::kBool) ||
      (PyFloat_CheckExact(value.ptr()) && !is_floating(dtype))) {
    return refused("{} is a Python {}; it must be {}", what, shown_type(value), dtype_name(dtype));
  }
  switch (dtype) {
    case DType::kBool:
      return Tensor::of<uint8_t>(dtype, {}, {static_cast<uint8_t>(value.ptr() == Py_True)});
    case DType::kUInt8: return read_integer<uint8_t>(value, what, dtype);
    case DType::kInt8: return read_integer<int8_t>(value, what, dtype);
    case DType::kInt16: return read_integer<int16_t>(value, what, dtype);
    case DType::kInt32: return read_integer<int32_t>(value, what, dtype);
    case DType::kInt64: return read_integer<int64_t>(value, what, dtype);
    case DType::kUInt16: return read_integer<uint16_t>(value, what, dtype);
    case DType::kUInt32: return read_integer<uint32_t>(value, what, dtype);
    case DType::kUInt64: return read_integer<uint64_t>(value, what, dtype);
    case DType::kFloat32: return read_float<float>(value, what, dtype);
    case DType::kFloat64: return read_float<double>(value, what, dtype);
    default:
      return refused("{} is a Python {}; it must be an array of {}", what, shown_type(value),
                     dtype_name(dtype));
  }
}

}  // namespace changeaware::python
