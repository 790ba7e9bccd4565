#include "core/array.h"

#include <nanobind/stl/optional.h>

#include <array>
#include <memory>
#include <string>

#include "core/dlpack.h"

namespace changeaware::python {
namespace {

nb::str text(std::string_view value) { return nb::str(value.data(), value.size()); }

nb::object shape_tuple(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(shape.size()));
  if (tuple == nullptr) throw nb::python_error();
  for (size_t d = 0; d < shape.size(); ++d) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(d), PyLong_FromLongLong(shape[d]));
  }
  return nb::steal(tuple);
}

// numpy.ndarray and the dtypes that it has; looked up once, kept for the life of the process.
struct NumPy {
  nb::object ndarray;
  std::array<nb::object, 16> dtypes;  // not valid: no such dtype

  static const NumPy& get() {
    static const NumPy* found = nullptr;
    if (found != nullptr) return *found;
    auto made = std::make_unique<NumPy>();
    const nb::module_ numpy = nb::module_::import_("numpy");
    made->ndarray = numpy.attr("ndarray");
    for (size_t i = 0; i < made->dtypes.size(); ++i) {
      const auto dtype = static_cast<DType>(i);
      if (dtype == DType::kBFloat16 || dtype == DType::kComplex32) continue;
      made->dtypes[i] = numpy.attr("dtype")(text(dtype_name(dtype)));
    }
    if (found == nullptr) found = made.release();  // importing may have let another thread in
    return *found;
  }
};

// What a consumer of __dlpack__ owns.
template <class Managed>
struct Exported {
  Managed managed = {};
  Tensor tensor;
  Shape shape;
  std::vector<int64_t> strides;

  static nb::object make(const Array& array, const char* name) {
    auto exported = std::make_unique<Exported>();
    exported->tensor = array.tensor();
    exported->shape = array.tensor().shape();
    exported->strides = array.tensor().strides();
    exported->managed.array = {.data = array.tensor().mutable_data(),
                               .device = {dlpack::kCpu, 0},
                               .rank = static_cast<int32_t>(exported->shape.size()),
                               .dtype = dlpack::type_of(array.tensor().dtype()),
                               .shape = exported->shape.data(),
                               .strides = exported->strides.data(),
                               .byte_offset = 0};
    exported->managed.context = exported.get();
    exported->managed.deleter = [](Managed* managed) {
      delete static_cast<Exported*>(managed->context);
    };
    if constexpr (requires(Managed m) { m.flags; }) {
      exported->managed.version = {1, 0};
      exported->managed.flags = array.access() == Access::kReadOnly ? dlpack::kReadOnly : 0;
    }
    // Once consumed, the capsule has another name.
    PyObject* const capsule = PyCapsule_New(&exported->managed, name, [](PyObject* object) {
      for (const char* unused : {"dltensor", "dltensor_versioned"}) {
        if (!PyCapsule_IsValid(object, unused)) continue;
        auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(object, unused));
        managed->deleter(managed);
      }
    });
    if (capsule == nullptr) throw nb::python_error();
    exported.release();
    return nb::steal(capsule);
  }
};

nb::object dlpack_capsule(const Array& array, nb::handle, std::optional<nb::tuple> max_version,
                          nb::handle, nb::handle) {
  const bool versioned = max_version && nb::cast<int>(nb::object((*max_version)[0])) >= 1;
  if (versioned) return Exported<dlpack::ManagedVersioned>::make(array, "dltensor_versioned");
  if (array.access() == Access::kReadOnly) {
    throw nb::buffer_error("a read-only array needs DLPack 1.0");
  }
  return Exported<dlpack::Managed>::make(array, "dltensor");
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  static std::byte nothing;
  const Array* const array = Array::of(self);
  std::byte* const data = array->tensor().mutable_data();
  return PyBuffer_FillInfo(view, self, data == nullptr ? &nothing : data,
                           static_cast<Py_ssize_t>(array->tensor().size_bytes()),
                           array->access() == Access::kReadOnly ? 1 : 0, flags);
}

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

}  // namespace

const Array* Array::of(nb::handle value) {
  return nb::isinstance<Array>(value) ? nb::inst_ptr<Array>(value) : nullptr;
}

void bind_array(nb::module_& module) {
  nb::class_<Array>(module, "Array", nb::type_slots(slots))
      .def_prop_ro("dtype", [](const Array& a) { return text(dtype_name(a.tensor().dtype())); })
      .def_prop_ro("shape", [](const Array& a) { return shape_tuple(a.tensor()); })
      .def("__dlpack_device__", [](const Array&) { return nb::make_tuple(dlpack::kCpu, 0); })
      .def("__dlpack__", dlpack_capsule, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none());
}

nb::object to_python(const Tensor& given, Access access) {
  const Tensor tensor = given.contiguous();
  const nb::object owner = nb::cast(Array(tensor, access));
  const NumPy& numpy = NumPy::get();
  const nb::object& dtype = numpy.dtypes[static_cast<size_t>(tensor.dtype())];
  if (!dtype.is_valid()) return owner;
  const nb::object shape = shape_tuple(tensor);
  PyObject* const arguments[] = {shape.ptr(), dtype.ptr(), owner.ptr()};
  PyObject* const made = PyObject_Vectorcall(numpy.ndarray.ptr(), arguments, 3, nullptr);
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

}  // namespace changeaware::python
