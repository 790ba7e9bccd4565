#include <nanobind/stl/string.h>

#include "core/bindings.h"
#include "core/dicts.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

void open(PackageObject* self, const std::string& path) {
  auto opened = unlocked([&] { return Package::open(path); });
  new (self) PackageObject{take(std::move(opened)), {}};
}

nb::object manifest(PackageObject& self) {
  if (!self.manifest.is_valid()) self.manifest = to_value(self.package->manifest());
  return self.manifest;
}

}  // namespace

void bind_package(nb::module_& module) {
  nb::class_<PackageObject>(module, "Package")
      .def("__init__", open, nb::arg("path"))
      .def_prop_ro("path", [](const PackageObject& self) { return to_value(self.package->path()); })
      .def_prop_ro("manifest", manifest);
}

}  // namespace changeaware::python
