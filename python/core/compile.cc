#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "changeaware/compiler.h"
#include "core/arrays_in.h"
#include "core/bindings.h"
#include "core/dicts.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

using Progress = std::function<void(std::string_view, double)>;

// Leaves the library when a callback raised. Not a std::exception, so that nobody on the way takes
// it for a failure of his own. Never thrown at the end of a stage, which the library also tells
// when it unwinds.
struct Interrupted {};

// Signal handlers run here, too. What is raised is kept in `raised`.
void call(nb::handle callback, std::string_view stage, double fraction,
          std::optional<nb::python_error>& raised) {
  const nb::gil_scoped_acquire gil;
  try {
    check_signals();
    if (!callback.is_none()) callback(to_value(stage), fraction);
  } catch (nb::python_error& error) {
    raised.emplace(error);
  }
}

// Runs `work` without the GIL, with `callback` as its progress. What the callback raises ends the
// work at once and is raised here; so is what a signal handler raised meanwhile.
template <class Work>
auto with_progress(nb::handle callback, Work&& work) {
  std::optional<nb::python_error> raised;
  const Progress progress = [&](std::string_view stage, double fraction) {
    if (!raised) call(callback, stage, fraction, raised);
    if (raised && fraction < 1) throw Interrupted();
  };
  decltype(std::optional(work(progress))) result;
  try {
    const nb::gil_scoped_release gil;
    result.emplace(work(progress));
  } catch (const Interrupted&) {
  }
  if (raised) throw nb::python_error(*raised);
  check_signals();
  return take(std::move(*result));
}

template <class Choice>
struct Named {
  std::string_view name;
  Choice value;
};

template <class Choice, size_t kCount>
Choice choose(const Named<Choice> (&choices)[kCount], const char* option, std::string_view name) {
  std::string names;
  for (const auto& choice : choices) {
    if (choice.name == name) return choice.value;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", choice.name);
  }
  raise(Status(StatusCode::kInvalidArgument,
               fmt::format("{} is \"{}\"; it can be {}", option, name, names)));
}

constexpr Named<Numerics> kNumerics[] = {{"fast", Numerics::kFast}, {"exact", Numerics::kExact}};
constexpr Named<CostSource> kCosts[] = {{"measured", CostSource::kMeasured},
                                        {"nominal", CostSource::kNominal}};

void read_tolerance(nb::handle value, const char* option, Tolerance& tolerance) {
  if (value.is_none()) return;
  const std::pair<std::string_view, double*> fields[] = {
      {"rtol", &tolerance.rtol}, {"atol", &tolerance.atol}, {"of_scale", &tolerance.of_scale}};
  for (const auto [key, number] : dict_of(value)) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    bool found = false;
    for (const auto& [known, field] : fields) {
      if (known != name) continue;
      *field = nb::cast<double>(number);
      found = true;
    }
    if (!found) {
      raise(Status(StatusCode::kInvalidArgument,
                   fmt::format("{} has no '{}'; it has rtol, atol, of_scale", option, name)));
    }
  }
}

nb::object compile_program(const std::string& model, const std::string& package,
                           nb::handle examples, nb::handle reference, int threads,
                           const std::string& numerics, const std::string& costs,
                           std::optional<uint64_t> retained_budget, size_t max_strategies,
                           nb::handle tolerance, nb::handle oracle_tolerance,
                           const std::string& torch_folder,
                           const std::vector<std::string>& op_libraries, nb::handle callback) {
  CompileOptions options;
  options.examples = read_arrays(examples, "example");
  options.reference = read_arrays(reference, "reference");
  options.threads = threads;
  options.numerics = choose(kNumerics, "numerics", numerics);
  options.costs = choose(kCosts, "costs", costs);
  options.exact_engine = exact_engine_options(torch_folder, op_libraries);
  options.retained_budget_bytes = retained_budget.value_or(UINT64_MAX);
  options.max_strategies = max_strategies;
  read_tolerance(tolerance, "tolerance", options.tolerance);
  read_tolerance(oracle_tolerance, "oracle_tolerance", options.oracle_tolerance);
  return to_value(with_progress(callback, [&](const Progress& progress) {
    options.progress = progress;
    return compile(model, package, options);
  }));
}

nb::object verify_file(const std::string& package, nb::handle examples, nb::handle reference,
                       int threads, const std::string& torch_folder,
                       const std::vector<std::string>& op_libraries, nb::handle callback) {
  VerifyOptions options;
  options.examples = read_arrays(examples, "example");
  options.reference = read_arrays(reference, "reference");
  options.threads = threads;
  options.exact_engine = exact_engine_options(torch_folder, op_libraries);
  return to_value(with_progress(callback, [&](const Progress& progress) {
    options.progress = progress;
    return verify_package(package, options);
  }));
}

}  // namespace

void bind_compiler(nb::module_& module) {
  using nb::arg;
  const std::vector<std::string> none;
  module.def("compile", compile_program, arg("model"), arg("package"), nb::kw_only(),
             arg("examples").none() = nb::none(), arg("reference").none() = nb::none(),
             arg("threads") = 0, arg("numerics") = "fast", arg("costs") = "measured",
             arg("retained_budget").none() = nb::none(), arg("max_strategies") = 16,
             arg("tolerance").none() = nb::none(), arg("oracle_tolerance").none() = nb::none(),
             arg("torch_folder") = "", arg("op_libraries") = none,
             arg("progress").none() = nb::none());
  module.def("verify", verify_file, arg("package"), nb::kw_only(),
             arg("examples").none() = nb::none(), arg("reference").none() = nb::none(),
             arg("threads") = 0, arg("torch_folder") = "", arg("op_libraries") = none,
             arg("progress").none() = nb::none());
}

}  // namespace changeaware::python
