#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/arrays_in.h"

namespace changeaware::python {
namespace {

// Holds an exported buffer; may be destroyed on any thread, with or without the GIL.
struct HeldBuffer {
  Py_buffer view = {};
  bool held = false;

  HeldBuffer() = default;
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
  ~HeldBuffer() {
    if (!held || !nb::is_alive()) return;
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(&view);
  }
};

enum class Kind : uint8_t { kSigned, kUnsigned, kFloat, kComplex, kBool };

struct Element {
  Kind kind;
  Py_ssize_t bytes;
  DType dtype;
};

constexpr std::array kElements = {
    Element{Kind::kSigned, 1, DType::kInt8},         Element{Kind::kSigned, 2, DType::kInt16},
    Element{Kind::kSigned, 4, DType::kInt32},        Element{Kind::kSigned, 8, DType::kInt64},
    Element{Kind::kUnsigned, 1, DType::kUInt8},      Element{Kind::kUnsigned, 2, DType::kUInt16},
    Element{Kind::kUnsigned, 4, DType::kUInt32},     Element{Kind::kUnsigned, 8, DType::kUInt64},
    Element{Kind::kFloat, 2, DType::kFloat16},       Element{Kind::kFloat, 4, DType::kFloat32},
    Element{Kind::kFloat, 8, DType::kFloat64},       Element{Kind::kComplex, 8, DType::kComplex64},
    Element{Kind::kComplex, 16, DType::kComplex128}, Element{Kind::kBool, 1, DType::kBool},
};

// Of a format of Python's `struct` module without its byte order; "Z" is complex (PEP 3118).
std::optional<Kind> kind_of(std::string_view format) {
  if (format.size() == 2 && format[0] == 'Z') {
    return format[1] == 'f' || format[1] == 'd' ? std::optional(Kind::kComplex) : std::nullopt;
  }
  if (format.size() != 1) return std::nullopt;
  if (format == "?") return Kind::kBool;
  if (std::string_view("bhilqn").find(format) != format.npos) return Kind::kSigned;
  if (std::string_view("BHILQN").find(format) != format.npos) return Kind::kUnsigned;
  if (std::string_view("efd").find(format) != format.npos) return Kind::kFloat;
  return std::nullopt;
}

template <class... Arguments>
Status refused(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format(text, std::forward<Arguments>(arguments)...));
}

Result<DType> dtype_of(const Py_buffer& view, nb::handle value, const std::string& what) {
  std::string_view format = view.format == nullptr ? "B" : view.format;
  if (!format.empty() && (format[0] == '>' || format[0] == '!') && view.itemsize > 1) {
    return refused("{} is byte-swapped; give it in this machine's byte order", what);
  }
  if (!format.empty() && std::string_view("@=<>!^").find(format[0]) != format.npos) {
    format.remove_prefix(1);
  }
  if (format == "O") return refused("{} is an array of Python objects, not of numbers", what);
  if (const auto kind = kind_of(format)) {
    for (const Element& element : kElements) {
      if (element.kind == *kind && element.bytes == view.itemsize) return element.dtype;
    }
  }
  const nb::object dtype = nb::getattr(value, "dtype", nb::none());
  const std::string name =
      dtype.is_none() ? std::string(format) : nb::cast<std::string>(nb::str(dtype));
  return refused("{} is an array of {}, which has no counterpart in PyTorch", what, name);
}

// Tensors count in elements, and engines read aligned ones.
bool fits_elements(const Py_buffer& view, DType dtype) {
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  const auto unit = static_cast<uintptr_t>(is_complex ? view.itemsize / 2 : view.itemsize);
  if (reinterpret_cast<uintptr_t>(view.buf) % unit != 0) return false;
  for (int d = 0; d < view.ndim && view.strides != nullptr; ++d) {
    if (view.shape[d] > 1 && view.strides[d] % view.itemsize != 0) return false;
  }
  return true;
}

}  // namespace

Result<Tensor> read_buffer(nb::handle value, const std::string& what, uint64_t& copied_bytes) {
  const auto held = std::make_shared<HeldBuffer>();
  if (PyObject_GetBuffer(value.ptr(), &held->view, PyBUF_RECORDS_RO) != 0) {
    nb::python_error error;
    return refused("{} cannot be read as an array: {}", what,
                   nb::cast<std::string>(nb::str(error.value())));
  }
  held->held = true;
  const Py_buffer& view = held->view;
  CA_ASSIGN_OR_RETURN(const DType dtype, dtype_of(view, value, what));
  if (is_set(value, "_baseclass")) {  // numpy.ma: its buffer knows nothing of the mask
    return refused("{} is a masked array; fill it first (array.filled(…))", what);
  }
  if (!fits_elements(view, dtype)) {
    const nb::object dense = nb::module_::import_("numpy").attr("array")(
        nb::borrow(value), nb::arg("order") = "C", nb::arg("copy") = true);
    copied_bytes += static_cast<uint64_t>(view.len);
    return read_buffer(dense, what, copied_bytes);
  }
  Shape shape(view.shape, view.shape + view.ndim);
  std::vector<int64_t> strides;
  if (view.strides != nullptr) {
    strides.resize(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) {
      strides[d] = view.strides[d] / view.itemsize;
    }
  }
  return Tensor::borrow(dtype, std::move(shape), std::move(strides), view.buf, held);
}

}  // namespace changeaware::python
