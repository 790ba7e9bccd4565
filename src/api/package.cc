#include "api/guard.h"
#include "api/ports.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

Result<std::unique_ptr<ca_package>> open_package(const char* path) {
  auto out = std::make_unique<ca_package>();
  CA_ASSIGN_OR_RETURN(out->package, Package::open(path));
  const Manifest& manifest = out->package->manifest();
  for (const ProgramInput& input : manifest.inputs) out->inputs.push_back(make_port(input));
  for (const ProgramOutput& output : manifest.outputs) out->outputs.push_back(make_port(output));
  for (const Callable& c : manifest.callables) {
    out->callables.push_back({c, {c.dependencies}, {c.shape_dependencies}});
  }
  for (const Strategy& s : manifest.strategies) out->strategies.push_back({s, {s.callables}});
  return out;
}

const Manifest* manifest_of(const ca_package* package) {
  return package == nullptr ? nullptr : &package->package->manifest();
}

const char* text_of(const ca_package* package, std::string Manifest::*field) {
  const Manifest* manifest = manifest_of(package);
  return manifest == nullptr ? nullptr : (manifest->*field).c_str();
}

template <class T>
size_t count_of(const ca_package* package, std::vector<T> ca_package::*list) {
  return package == nullptr ? 0 : (package->*list).size();
}

template <class T>
const T* item_of(const ca_package* package, std::vector<T> ca_package::*list, size_t index) {
  if (package == nullptr || index >= (package->*list).size()) return nullptr;
  return &(package->*list)[index];
}

}  // namespace

ca_package* ca_package_open(const char* path, ca_status* status) {
  return guard_handle<ca_package>(status, {{path, "path"}}, [&] { return open_package(path); });
}

void ca_package_free(ca_package* package) { delete package; }

const char* ca_package_path(const ca_package* package) {
  return package == nullptr ? nullptr : package->package->path().c_str();
}

int32_t ca_package_format_major(const ca_package* package) {
  return package == nullptr ? -1 : package->package->manifest().format_major;
}

int32_t ca_package_format_minor(const ca_package* package) {
  return package == nullptr ? -1 : package->package->manifest().format_minor;
}

const char* ca_package_engine_name(const ca_package* package) {
  return text_of(package, &Manifest::engine_name);
}

const char* ca_package_engine_version(const ca_package* package) {
  return text_of(package, &Manifest::engine_version);
}

const char* ca_package_torch_version(const ca_package* package) {
  return text_of(package, &Manifest::torch_version);
}

const char* ca_package_in_spec(const ca_package* package) {
  return text_of(package, &Manifest::in_spec);
}

const char* ca_package_out_spec(const ca_package* package) {
  return text_of(package, &Manifest::out_spec);
}

bool ca_package_exact_numerics(const ca_package* package) {
  return package != nullptr && package->package->manifest().exact_numerics;
}

bool ca_package_verified(const ca_package* package) {
  return package != nullptr && package->package->manifest().verified;
}

size_t ca_package_input_count(const ca_package* package) {
  return count_of(package, &ca_package::inputs);
}

const ca_port* ca_package_input(const ca_package* package, size_t index) {
  return item_of(package, &ca_package::inputs, index);
}

size_t ca_package_output_count(const ca_package* package) {
  return count_of(package, &ca_package::outputs);
}

const ca_port* ca_package_output(const ca_package* package, size_t index) {
  return item_of(package, &ca_package::outputs, index);
}

size_t ca_package_callable_count(const ca_package* package) {
  return count_of(package, &ca_package::callables);
}

const ca_callable* ca_package_callable(const ca_package* package, size_t index) {
  return item_of(package, &ca_package::callables, index);
}

const char* ca_callable_name(const ca_callable* callable) {
  return callable == nullptr ? nullptr : callable->callable.name.c_str();
}

const char* ca_callable_identity(const ca_callable* callable) {
  return callable == nullptr ? nullptr : callable->callable.identity.c_str();
}

const ca_strings* ca_callable_dependencies(const ca_callable* callable) {
  return callable == nullptr ? nullptr : &callable->dependencies;
}

const ca_strings* ca_callable_shape_dependencies(const ca_callable* callable) {
  return callable == nullptr ? nullptr : &callable->shape_dependencies;
}

uint64_t ca_callable_weight_bytes(const ca_callable* callable) {
  return callable == nullptr ? 0 : callable->callable.weight_bytes;
}

uint64_t ca_callable_resident_bytes(const ca_callable* callable) {
  return callable == nullptr ? 0 : callable->callable.costs.resident_bytes;
}

double ca_callable_steady_us(const ca_callable* callable) {
  return callable == nullptr ? 0 : callable->callable.costs.steady_us;
}

double ca_callable_load_us(const ca_callable* callable) {
  return callable == nullptr ? 0 : callable->callable.costs.load_us;
}

size_t ca_package_strategy_count(const ca_package* package) {
  return count_of(package, &ca_package::strategies);
}

const ca_strategy* ca_package_strategy(const ca_package* package, size_t index) {
  return item_of(package, &ca_package::strategies, index);
}

const char* ca_strategy_name(const ca_strategy* strategy) {
  return strategy == nullptr ? nullptr : strategy->strategy.name.c_str();
}

const ca_strings* ca_strategy_callables(const ca_strategy* strategy) {
  return strategy == nullptr ? nullptr : &strategy->callables;
}

uint64_t ca_strategy_retained_bytes(const ca_strategy* strategy) {
  return strategy == nullptr ? 0 : strategy->strategy.retained_bytes;
}

uint64_t ca_strategy_resident_bytes(const ca_strategy* strategy) {
  return strategy == nullptr ? 0 : strategy->strategy.resident_bytes;
}
