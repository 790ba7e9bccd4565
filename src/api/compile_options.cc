#include "api/guard.h"
#include "api/tensor_argument.h"
#include "base/errors.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

// Runs `change` on the options inside, when there are any.
template <class Change>
ca_code set(ca_compile_options* options, ca_status* status, Needed argument, Change change) {
  return guard(status, {{options, "options"}, argument},
               [&]() -> Status { return change(options->options); });
}

Result<Tolerance> make_tolerance(double rtol, double atol, double of_scale) {
  for (const double part : {rtol, atol, of_scale}) {
    if (!(part >= 0)) return invalid_argument("a tolerance of {} is negative or no number", part);
  }
  return Tolerance{.rtol = rtol, .atol = atol, .of_scale = of_scale};
}

Status add_tensor(std::map<std::string, Tensor>& tensors, const char* name,
                  const TensorArgument& argument) {
  CA_ASSIGN_OR_RETURN(tensors[name], borrow_argument(name, argument));
  return {};
}

}  // namespace

ca_compile_options* ca_compile_options_create(ca_status* status) {
  return guard_handle<ca_compile_options>(status, {},
                                          []() -> Result<std::unique_ptr<ca_compile_options>> {
                                            return std::make_unique<ca_compile_options>();
                                          });
}

void ca_compile_options_free(ca_compile_options* options) { delete options; }

ca_code ca_compile_options_set_threads(ca_compile_options* options, int32_t threads,
                                       ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    if (threads < 0) return invalid_argument("{} threads", threads);
    o.threads = threads;
    return {};
  });
}

ca_code ca_compile_options_set_exact_numerics(ca_compile_options* options, bool exact,
                                              ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    o.numerics = exact ? Numerics::kExact : Numerics::kFast;
    return {};
  });
}

ca_code ca_compile_options_set_measured_costs(ca_compile_options* options, bool measured,
                                              ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    o.costs = measured ? CostSource::kMeasured : CostSource::kNominal;
    return {};
  });
}

ca_code ca_compile_options_set_retained_budget_bytes(ca_compile_options* options, uint64_t bytes,
                                                     ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    o.retained_budget_bytes = bytes;
    return {};
  });
}

ca_code ca_compile_options_set_max_strategies(ca_compile_options* options, size_t count,
                                              ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    if (count == 0) return invalid_argument("0 strategies: `monolithic` is always there");
    o.max_strategies = count;
    return {};
  });
}

ca_code ca_compile_options_set_tolerance(ca_compile_options* options, double rtol, double atol,
                                         double of_scale, ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    CA_ASSIGN_OR_RETURN(o.tolerance, make_tolerance(rtol, atol, of_scale));
    return {};
  });
}

ca_code ca_compile_options_set_oracle_tolerance(ca_compile_options* options, double rtol,
                                                double atol, double of_scale, ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    CA_ASSIGN_OR_RETURN(o.oracle_tolerance, make_tolerance(rtol, atol, of_scale));
    return {};
  });
}

ca_code ca_compile_options_set_example(ca_compile_options* options, const char* name,
                                       ca_dtype dtype, const int64_t* shape, size_t rank,
                                       const int64_t* strides, const void* data, size_t bytes,
                                       ca_status* status) {
  return set(options, status, {name, "name"}, [&](CompileOptions& o) -> Status {
    return add_tensor(o.examples, name, {dtype, shape, rank, strides, data, bytes});
  });
}

ca_code ca_compile_options_set_reference(ca_compile_options* options, const char* name,
                                         ca_dtype dtype, const int64_t* shape, size_t rank,
                                         const int64_t* strides, const void* data, size_t bytes,
                                         ca_status* status) {
  return set(options, status, {name, "name"}, [&](CompileOptions& o) -> Status {
    return add_tensor(o.reference, name, {dtype, shape, rank, strides, data, bytes});
  });
}

ca_code ca_compile_options_set_torch_folder(ca_compile_options* options, const char* folder,
                                            ca_status* status) {
  return set(options, status, {folder, "folder"}, [&](CompileOptions& o) -> Status {
    o.exact_engine.torch_folder = folder;
    return {};
  });
}

ca_code ca_compile_options_add_op_library(ca_compile_options* options, const char* path,
                                          ca_status* status) {
  return set(options, status, {path, "path"}, [&](CompileOptions& o) -> Status {
    o.exact_engine.op_libraries.emplace_back(path);
    return {};
  });
}

ca_code ca_compile_options_set_progress(ca_compile_options* options, ca_progress progress,
                                        void* user, ca_status* status) {
  return set(options, status, kNothingElse, [&](CompileOptions& o) -> Status {
    o.progress = nullptr;
    if (progress == nullptr) return {};
    o.progress = [progress, user](std::string_view stage, double fraction) {
      progress(std::string(stage).c_str(), fraction, user);
    };
    return {};
  });
}
