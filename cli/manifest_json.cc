#include "cli/manifest_json.h"

#include <fmt/format.h>

#include <charconv>

namespace changeaware::cli {
namespace {

// A size is a number; a symbolic one stays text ("2*s0").
void write_size(JsonOutput& json, const std::string& size) {
  int64_t number = 0;
  const char* end = size.data() + size.size();
  const auto [rest, failure] = std::from_chars(size.data(), end, number);
  if (failure == std::errc() && rest == end) return json.value(number);
  json.value(size);
}

template <class T>
void write_list(JsonOutput& json, std::string_view name, const std::vector<T>& items,
                void (*write)(JsonOutput&, const T&)) {
  json.key(name);
  json.begin_array();
  for (const T& item : items) write(json, item);
  json.end_array();
}

void write_type(JsonOutput& json, const Port& port) {
  json.field("dtype", dtype_name(port.dtype));
  json.key("shape");
  json.begin_array();
  for (const std::string& size : port.shape) write_size(json, size);
  json.end_array();
}

void write_ports(JsonOutput& json, std::string_view name, const std::vector<Port>& ports) {
  json.key(name);
  json.begin_array();
  for (const Port& port : ports) {
    json.begin_object();
    json.field("name", port.name);
    write_type(json, port);
    json.end_object();
  }
  json.end_array();
}

void write_input(JsonOutput& json, const ProgramInput& input) {
  json.begin_object();
  json.field("name", input.port.name);
  if (input.fixed_value.empty()) {
    write_type(json, input.port);
  } else {
    json.field("fixed_value", input.fixed_value);
  }
  json.end_object();
}

void write_output(JsonOutput& json, const ProgramOutput& output) {
  using Kind = ProgramOutput::Kind;
  json.begin_object();
  json.field("name", output.name);
  switch (output.kind) {
    case Kind::kPort:
      write_type(json, output.port);
      json.field("value", output.port.name);
      break;
    case Kind::kConstantTensor:
      write_type(json, output.port);
      json.field("constant", true);
      break;
    case Kind::kNone:
      json.key("fixed_value");
      json.null();
      break;
    case Kind::kInt: json.field("fixed_value", output.int_value); break;
    case Kind::kFloat: json.field("fixed_value", output.float_value); break;
    case Kind::kBool: json.field("fixed_value", output.int_value != 0); break;
    case Kind::kString: json.field("fixed_value", output.string_value); break;
  }
  json.end_object();
}

void write_callable(JsonOutput& json, const Callable& callable) {
  json.begin_object();
  json.field("name", callable.name);
  json.field("identity", callable.identity);
  json.list("dependencies", callable.dependencies);
  json.list("shape_dependencies", callable.shape_dependencies);
  write_ports(json, "inputs", callable.inputs);
  write_ports(json, "outputs", callable.outputs);
  json.field("weight_bytes", callable.weight_bytes);
  json.field("node_count", callable.node_count);
  json.field("exact_node_count", callable.exact_node_count);
  json.list("assertions", callable.assertions);
  json.key("costs");
  json.begin_object();
  json.field("steady_us", callable.costs.steady_us);
  json.field("p95_us", callable.costs.p95_us);
  json.field("cold_us", callable.costs.cold_us);
  json.field("load_us", callable.costs.load_us);
  json.field("resident_bytes", callable.costs.resident_bytes);
  json.end_object();
  json.end_object();
}

void write_mask_cost(JsonOutput& json, const MaskCost& mask) {
  json.begin_object();
  json.list("changed", mask.changed);
  json.list("runs", mask.runs);
  json.field("steady_us", mask.steady_us);
  json.field("p95_us", mask.p95_us);
  json.end_object();
}

void write_strategy(JsonOutput& json, const Strategy& strategy) {
  json.begin_object();
  json.field("name", strategy.name);
  json.list("callables", strategy.callables);
  json.list("retained", strategy.retained);
  json.field("retained_bytes", strategy.retained_bytes);
  json.field("resident_bytes", strategy.resident_bytes);
  write_list(json, "mask_costs", strategy.mask_costs, write_mask_cost);
  json.field("bits_of_main", strategy.bits_of_main);
  json.field("difference_from_main", strategy.difference_from_main);
  json.end_object();
}

void write_rejection(JsonOutput& json, const Rejection& rejection) {
  json.begin_object();
  json.field("candidate", rejection.candidate);
  json.field("reason", rejection.reason);
  json.end_object();
}

void write_symbol(JsonOutput& json, const SymbolBounds& bounds) {
  json.begin_object();
  json.field("symbol", bounds.symbol);
  json.field("min", bounds.min);
  json.field("max", bounds.max);
  json.end_object();
}

}  // namespace

void write_rejections(JsonOutput& json, const std::vector<Rejection>& rejections) {
  write_list(json, "rejections", rejections, write_rejection);
}

std::string manifest_to_json(const Manifest& manifest) {
  JsonOutput json;
  json.begin_object();
  write_list(json, "inputs", manifest.inputs, write_input);
  write_list(json, "outputs", manifest.outputs, write_output);
  write_list(json, "callables", manifest.callables, write_callable);
  write_list(json, "strategies", manifest.strategies, write_strategy);
  json.field("strategy_candidates", manifest.strategy_candidates);
  write_rejections(json, manifest.rejections);
  write_list(json, "symbols", manifest.symbols, write_symbol);
  json.field("verified", manifest.verified);
  json.field("costs_are_measured", manifest.costs_are_measured);
  json.key("tolerance");
  json.begin_object();
  json.field("rtol", manifest.tolerance.rtol);
  json.field("atol", manifest.tolerance.atol);
  json.field("of_scale", manifest.tolerance.of_scale);
  json.end_object();
  json.key("engine");
  json.begin_object();
  json.field("name", manifest.engine_name);
  json.field("version", manifest.engine_version);
  json.end_object();
  json.key("exact_engine");
  json.begin_object();
  json.field("everything", manifest.exact_numerics);
  json.field("version", manifest.exact_engine_version);
  json.list("op_libraries", manifest.op_libraries);
  json.end_object();
  json.key("versions");
  json.begin_object();
  json.field("format", fmt::format("{}.{}", manifest.format_major, manifest.format_minor));
  json.field("torch", manifest.torch_version);
  json.end_object();
  json.end_object();
  return json.text();
}

}  // namespace changeaware::cli
