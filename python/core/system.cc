// What concerns the machine, and the command line.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "changeaware/doctor.h"
#include "cli/program.h"
#include "core/bindings.h"
#include "core/dicts.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

nb::object doctor(const std::string& torch_folder, const std::vector<std::string>& op_libraries) {
  return to_value(
      unlocked([&] { return inspect_system(exact_engine_options(torch_folder, op_libraries)); }));
}

nb::object find_engine(const std::string& torch_folder) {
  return to_value(
      unlocked([&] { return find_exact_engine(exact_engine_options(torch_folder, {})); }));
}

nb::object build_engine(const std::string& torch_folder) {
  auto built = unlocked([&] { return build_exact_engine(exact_engine_options(torch_folder, {})); });
  check_signals();
  return to_value(take(std::move(built)));
}

int run_command_line(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "changeaware");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int count = static_cast<int>(arguments.size());
  return unlocked([&] { return cli::run_program(count, argv.data()); });
}

}  // namespace

void bind_system(nb::module_& module) {
  using nb::arg;
  module.def("doctor", doctor, nb::kw_only(), arg("torch_folder") = "",
             arg("op_libraries") = std::vector<std::string>());
  module.def("find_exact_engine", find_engine, nb::kw_only(), arg("torch_folder") = "");
  module.def("build_exact_engine", build_engine, nb::kw_only(), arg("torch_folder") = "");
  module.def("main", run_command_line, arg("arguments"));
}

}  // namespace changeaware::python
