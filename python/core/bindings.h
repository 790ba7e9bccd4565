// What module.cc puts together: one function per file that defines Python names.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "changeaware/exact_engine.h"
#include "changeaware/package.h"

namespace changeaware::python {

namespace nb = nanobind;

// Python's Package. Immutable but for the dict, which is made on first use under the GIL.
struct PackageObject {
  std::shared_ptr<const Package> package;
  nb::object manifest;
};

void bind_package(nb::module_& module);
void bind_reports(nb::module_& module);   // Decision, Report, Plan
void bind_session(nb::module_& module);   // Session
void bind_compiler(nb::module_& module);  // compile, verify
void bind_system(nb::module_& module);    // doctor, find_exact_engine, build_exact_engine, main

inline ExactEngineOptions exact_engine_options(std::string torch_folder,
                                               std::vector<std::string> op_libraries) {
  return {.torch_folder = std::move(torch_folder), .op_libraries = std::move(op_libraries)};
}

// Throws KeyboardInterrupt, or what another signal handler raised while the library worked.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// `work` without the GIL.
template <class Work>
auto unlocked(Work&& work) {
  const nb::gil_scoped_release gil;
  return work();
}

}  // namespace changeaware::python
