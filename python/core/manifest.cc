// Manifest as a dict; fields as in changeaware/package.h.
#include "core/dicts.h"

namespace changeaware::python {
namespace {

nb::object to_value(const Port& port);
nb::object to_value(const ProgramInput& input);
nb::object to_value(const ProgramOutput& output);
nb::object to_value(const SymbolBounds& bounds);
nb::object to_value(const Callable& callable);
nb::object to_value(const MaskCost& cost);
nb::object to_value(const Strategy& strategy);

template <class T>
nb::object list_of(const std::vector<T>& items) {
  nb::list out;
  for (const T& item : items) out.append(to_value(item));
  return out;
}

nb::object to_value(const Port& port) {
  nb::dict out;
  out["name"] = python::to_value(port.name);
  out["dtype"] = python::to_value(dtype_name(port.dtype));
  nb::list shape;
  for (const std::string& size : port.shape) {
    const bool is_number = !size.empty() && size.find_first_not_of("0123456789") == size.npos;
    if (is_number) {
      shape.append(nb::int_(python::to_value(size)));
    } else {
      shape.append(python::to_value(size));
    }
  }
  out["shape"] = shape;
  return out;
}

nb::object to_value(const ProgramInput& input) {
  nb::dict out = nb::borrow<nb::dict>(to_value(input.port));
  out["fixed_value"] = input.fixed_value.empty() ? nb::none() : python::to_value(input.fixed_value);
  return out;
}

nb::object to_value(const ProgramOutput& output) {
  using Kind = ProgramOutput::Kind;
  nb::dict out = nb::borrow<nb::dict>(to_value(output.port));
  out["name"] = python::to_value(output.name);
  out["value"] = nb::none();
  switch (output.kind) {
    case Kind::kPort:
      out["kind"] = "tensor";
      out["port"] = python::to_value(output.port.name);
      return out;
    case Kind::kConstantTensor: out["kind"] = "constant_tensor"; return out;
    case Kind::kNone: out["kind"] = "none"; break;
    case Kind::kInt:
      out["kind"] = "int";
      out["value"] = python::to_value(output.int_value);
      break;
    case Kind::kFloat:
      out["kind"] = "float";
      out["value"] = python::to_value(output.float_value);
      break;
    case Kind::kBool:
      out["kind"] = "bool";
      out["value"] = python::to_value(output.int_value != 0);
      break;
    case Kind::kString:
      out["kind"] = "str";
      out["value"] = python::to_value(output.string_value);
      break;
  }
  out["dtype"] = nb::none();
  out["shape"] = nb::none();
  return out;
}

nb::object to_value(const SymbolBounds& bounds) {
  nb::dict out;
  out["symbol"] = python::to_value(bounds.symbol);
  out["min"] = bounds.min;
  out["max"] = bounds.max;
  return out;
}

nb::object to_value(const CallableCosts& costs) {
  nb::dict out;
  out["steady_us"] = costs.steady_us;
  out["p95_us"] = costs.p95_us;
  out["cold_us"] = costs.cold_us;
  out["load_us"] = costs.load_us;
  out["resident_bytes"] = costs.resident_bytes;
  return out;
}

nb::object to_value(const Callable& callable) {
  nb::dict out;
  out["name"] = python::to_value(callable.name);
  out["identity"] = python::to_value(callable.identity);
  out["dependencies"] = python::to_value(callable.dependencies);
  out["shape_dependencies"] = python::to_value(callable.shape_dependencies);
  out["inputs"] = list_of(callable.inputs);
  out["outputs"] = list_of(callable.outputs);
  out["assertions"] = python::to_value(callable.assertions);
  out["weight_bytes"] = callable.weight_bytes;
  out["node_count"] = callable.node_count;
  out["exact_node_count"] = callable.exact_node_count;
  out["costs"] = to_value(callable.costs);
  return out;
}

nb::object to_value(const MaskCost& cost) {
  nb::dict out;
  out["changed"] = python::to_value(cost.changed);
  out["runs"] = python::to_value(cost.runs);
  out["steady_us"] = cost.steady_us;
  out["p95_us"] = cost.p95_us;
  return out;
}

nb::object to_value(const Strategy& strategy) {
  nb::dict out;
  out["name"] = python::to_value(strategy.name);
  out["callables"] = python::to_value(strategy.callables);
  out["retained"] = python::to_value(strategy.retained);
  out["retained_bytes"] = strategy.retained_bytes;
  out["resident_bytes"] = strategy.resident_bytes;
  out["mask_costs"] = list_of(strategy.mask_costs);
  out["bits_of_main"] = strategy.bits_of_main;
  out["difference_from_main"] = python::to_value(strategy.difference_from_main);
  return out;
}

nb::object to_value(const Tolerance& tolerance) {
  nb::dict out;
  out["rtol"] = tolerance.rtol;
  out["atol"] = tolerance.atol;
  out["of_scale"] = tolerance.of_scale;
  return out;
}

}  // namespace

nb::object to_value(const Rejection& rejection) {
  nb::dict out;
  out["candidate"] = to_value(rejection.candidate);
  out["reason"] = to_value(rejection.reason);
  return out;
}

nb::object to_value(const Manifest& manifest) {
  nb::dict out;
  out["format_major"] = manifest.format_major;
  out["format_minor"] = manifest.format_minor;
  out["engine_name"] = to_value(manifest.engine_name);
  out["engine_version"] = to_value(manifest.engine_version);
  out["exact_numerics"] = manifest.exact_numerics;
  out["exact_engine_version"] = to_value(manifest.exact_engine_version);
  out["op_libraries"] = to_value(manifest.op_libraries);
  out["torch_version"] = to_value(manifest.torch_version);
  out["inputs"] = list_of(manifest.inputs);
  out["outputs"] = list_of(manifest.outputs);
  out["in_spec"] = to_value(manifest.in_spec);
  out["out_spec"] = to_value(manifest.out_spec);
  out["symbols"] = list_of(manifest.symbols);
  out["callables"] = list_of(manifest.callables);
  out["strategies"] = list_of(manifest.strategies);
  out["rejections"] = to_value(manifest.rejections);
  out["strategy_candidates"] = manifest.strategy_candidates;
  out["costs_are_measured"] = manifest.costs_are_measured;
  out["tolerance"] = to_value(manifest.tolerance);
  out["verified"] = manifest.verified;
  return out;
}

}  // namespace changeaware::python
