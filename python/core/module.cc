// changeaware._core; its contract is python/changeaware/_core.pyi.
#include "core/array.h"
#include "core/bindings.h"
#include "core/errors.h"

NB_MODULE(_core, module) {
  using namespace changeaware::python;
  module.attr("__version__") = CHANGEAWARE_VERSION;
  // Objects of threads that outlive the interpreter are no fault of the user's.
  nanobind::set_leak_warnings(false);
  bind_errors(module);
  bind_array(module);
  bind_package(module);
  bind_reports(module);
  bind_session(module);
  bind_compiler(module);
  bind_system(module);
}
