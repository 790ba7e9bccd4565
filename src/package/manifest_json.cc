#include "package/manifest_json.h"

#include <array>
#include <utility>

#include "base/errors.h"
#include "base/json.h"

namespace changeaware {
namespace {

constexpr const char* kSource = "extra/manifest.json";

using Kind = ProgramOutput::Kind;
constexpr std::array<std::pair<Kind, std::string_view>, 7> kKinds = {{
    {Kind::kPort, "port"},
    {Kind::kConstantTensor, "constant"},
    {Kind::kNone, "none"},
    {Kind::kInt, "int"},
    {Kind::kFloat, "float"},
    {Kind::kBool, "bool"},
    {Kind::kString, "string"},
}};

bool has_port(Kind kind) { return kind == Kind::kPort || kind == Kind::kConstantTensor; }

// Writing.

void write_port_fields(JsonWriter& w, const Port& port) {
  w.field("name", port.name).field("dtype", dtype_name(port.dtype)).list("shape", port.shape);
}

template <class Range, class Write>
void write_list(JsonWriter& w, std::string_view name, const Range& range, Write write) {
  w.key(name).begin_array();
  for (const auto& item : range) {
    w.begin_object();
    write(item);
    w.end_object();
  }
  w.end_array();
}

void write_output(JsonWriter& w, const ProgramOutput& o) {
  w.field("name", o.name).field("kind", kKinds[static_cast<size_t>(o.kind)].second);
  if (has_port(o.kind)) {
    w.key("port").begin_object();
    write_port_fields(w, o.port);
    w.end_object();
  }
  if (o.kind == Kind::kInt || o.kind == Kind::kBool) w.field("value", o.int_value);
  if (o.kind == Kind::kFloat) w.field("value", o.float_value);
  if (o.kind == Kind::kString) w.field("value", o.string_value);
}

void write_callable(JsonWriter& w, const Callable& c) {
  w.field("name", c.name)
      .field("identity", c.identity)
      .list("dependencies", c.dependencies)
      .list("shape_dependencies", c.shape_dependencies);
  write_list(w, "inputs", c.inputs, [&](const Port& p) { write_port_fields(w, p); });
  write_list(w, "outputs", c.outputs, [&](const Port& p) { write_port_fields(w, p); });
  w.list("assertions", c.assertions)
      .field("weight_bytes", c.weight_bytes)
      .field("node_count", c.node_count)
      .field("exact_node_count", c.exact_node_count);
  w.key("costs").begin_object();
  w.field("steady_us", c.costs.steady_us)
      .field("p95_us", c.costs.p95_us)
      .field("cold_us", c.costs.cold_us)
      .field("load_us", c.costs.load_us)
      .field("resident_bytes", c.costs.resident_bytes);
  w.end_object();
}

void write_strategy(JsonWriter& w, const Strategy& s) {
  w.field("name", s.name)
      .list("callables", s.callables)
      .list("retained", s.retained)
      .field("retained_bytes", s.retained_bytes)
      .field("resident_bytes", s.resident_bytes);
  write_list(w, "mask_costs", s.mask_costs, [&](const MaskCost& mask) {
    w.list("changed", mask.changed)
        .list("runs", mask.runs)
        .field("steady_us", mask.steady_us)
        .field("p95_us", mask.p95_us);
  });
  w.field("bits_of_main", s.bits_of_main).field("difference_from_main", s.difference_from_main);
}

// Reading. One small function per part; each returns the error of the first field that is wrong.

template <class T>
Status read_field(const JsonView& v, std::string_view name, T& out);

template <>
Status read_field(const JsonView& v, std::string_view name, std::string& out) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(const std::string_view text, field.as_string());
  out = text;
  return {};
}
template <>
Status read_field(const JsonView& v, std::string_view name, int64_t& out) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(out, field.as_int());
  return {};
}
template <>
Status read_field(const JsonView& v, std::string_view name, uint64_t& out) {
  int64_t value = 0;
  CA_RETURN_IF_ERROR(read_field(v, name, value));
  if (value < 0) return v.error(fmt::format("\"{}\" is negative", name));
  out = static_cast<uint64_t>(value);
  return {};
}
template <>
Status read_field(const JsonView& v, std::string_view name, bool& out) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(out, field.as_bool());
  return {};
}
template <>
Status read_field(const JsonView& v, std::string_view name, double& out) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(out, field.as_double());
  return {};
}
template <>
Status read_field(const JsonView& v, std::string_view name, std::vector<std::string>& out) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(const auto items, field.elements());
  for (const JsonView& item : items) {
    CA_ASSIGN_OR_RETURN(const std::string_view text, item.as_string());
    out.emplace_back(text);
  }
  return {};
}

// Of a later minor version than the first: what is not there has its default.
template <class T>
Status read_newer_field(const JsonView& v, std::string_view name, T& out) {
  return v.find(name) ? read_field(v, name, out) : Status();
}

template <class T>
Status read_list(const JsonView& v, std::string_view name, std::vector<T>& out,
                 Status (*read)(const JsonView&, T&)) {
  CA_ASSIGN_OR_RETURN(const JsonView field, v.get(name));
  CA_ASSIGN_OR_RETURN(const auto items, field.elements());
  for (const JsonView& item : items) {
    T value;
    CA_RETURN_IF_ERROR(read(item, value));
    out.push_back(std::move(value));
  }
  return {};
}

Status read_port(const JsonView& v, Port& port) {
  std::string dtype;
  CA_RETURN_IF_ERROR(read_field(v, "name", port.name));
  CA_RETURN_IF_ERROR(read_field(v, "dtype", dtype));
  CA_RETURN_IF_ERROR(read_field(v, "shape", port.shape));
  const auto parsed = parse_dtype(dtype);
  if (!parsed.ok()) return v.error(parsed.status().message());
  port.dtype = *parsed;
  return {};
}

Status read_input(const JsonView& v, ProgramInput& input) {
  CA_RETURN_IF_ERROR(read_field(v, "fixed_value", input.fixed_value));
  return read_port(v, input.port);
}

Status read_output(const JsonView& v, ProgramOutput& o) {
  std::string kind;
  CA_RETURN_IF_ERROR(read_field(v, "name", o.name));
  CA_RETURN_IF_ERROR(read_field(v, "kind", kind));
  bool known = false;
  for (const auto& [k, name] : kKinds) {
    if (name != kind) continue;
    o.kind = k;
    known = true;
  }
  if (!known) return v.error(fmt::format("unknown kind \"{}\"", kind));
  if (has_port(o.kind)) {
    CA_ASSIGN_OR_RETURN(const JsonView port, v.get("port"));
    return read_port(port, o.port);
  }
  if (o.kind == Kind::kInt || o.kind == Kind::kBool) return read_field(v, "value", o.int_value);
  if (o.kind == Kind::kFloat) return read_field(v, "value", o.float_value);
  if (o.kind == Kind::kString) return read_field(v, "value", o.string_value);
  return {};
}

Status read_costs(const JsonView& v, CallableCosts& costs) {
  CA_RETURN_IF_ERROR(read_field(v, "steady_us", costs.steady_us));
  CA_RETURN_IF_ERROR(read_field(v, "p95_us", costs.p95_us));
  CA_RETURN_IF_ERROR(read_field(v, "cold_us", costs.cold_us));
  CA_RETURN_IF_ERROR(read_field(v, "load_us", costs.load_us));
  return read_field(v, "resident_bytes", costs.resident_bytes);
}

Status read_tolerance(const JsonView& v, Tolerance& tolerance) {
  CA_RETURN_IF_ERROR(read_field(v, "rtol", tolerance.rtol));
  CA_RETURN_IF_ERROR(read_field(v, "atol", tolerance.atol));
  return read_field(v, "of_scale", tolerance.of_scale);
}

Status read_callable(const JsonView& v, Callable& c) {
  CA_RETURN_IF_ERROR(read_field(v, "name", c.name));
  CA_RETURN_IF_ERROR(read_field(v, "identity", c.identity));
  CA_RETURN_IF_ERROR(read_field(v, "dependencies", c.dependencies));
  CA_RETURN_IF_ERROR(read_field(v, "shape_dependencies", c.shape_dependencies));
  CA_RETURN_IF_ERROR(read_list(v, "inputs", c.inputs, read_port));
  CA_RETURN_IF_ERROR(read_list(v, "outputs", c.outputs, read_port));
  CA_RETURN_IF_ERROR(read_field(v, "assertions", c.assertions));
  CA_RETURN_IF_ERROR(read_field(v, "weight_bytes", c.weight_bytes));
  CA_RETURN_IF_ERROR(read_field(v, "node_count", c.node_count));
  CA_RETURN_IF_ERROR(read_newer_field(v, "exact_node_count", c.exact_node_count));
  CA_ASSIGN_OR_RETURN(const JsonView costs, v.get("costs"));
  return read_costs(costs, c.costs);
}

Status read_mask_cost(const JsonView& v, MaskCost& mask) {
  CA_RETURN_IF_ERROR(read_field(v, "changed", mask.changed));
  CA_RETURN_IF_ERROR(read_field(v, "runs", mask.runs));
  CA_RETURN_IF_ERROR(read_field(v, "steady_us", mask.steady_us));
  return read_field(v, "p95_us", mask.p95_us);
}

Status read_strategy(const JsonView& v, Strategy& s) {
  CA_RETURN_IF_ERROR(read_field(v, "name", s.name));
  CA_RETURN_IF_ERROR(read_field(v, "callables", s.callables));
  CA_RETURN_IF_ERROR(read_field(v, "retained", s.retained));
  CA_RETURN_IF_ERROR(read_field(v, "retained_bytes", s.retained_bytes));
  CA_RETURN_IF_ERROR(read_field(v, "resident_bytes", s.resident_bytes));
  CA_RETURN_IF_ERROR(read_list(v, "mask_costs", s.mask_costs, read_mask_cost));
  CA_RETURN_IF_ERROR(read_field(v, "bits_of_main", s.bits_of_main));
  return read_field(v, "difference_from_main", s.difference_from_main);
}

Status read_rejection(const JsonView& v, Rejection& r) {
  CA_RETURN_IF_ERROR(read_field(v, "candidate", r.candidate));
  return read_field(v, "reason", r.reason);
}

Status read_symbol(const JsonView& v, SymbolBounds& s) {
  CA_RETURN_IF_ERROR(read_field(v, "symbol", s.symbol));
  CA_RETURN_IF_ERROR(read_field(v, "min", s.min));
  return read_field(v, "max", s.max);
}

Status read_version(const JsonView& root, Manifest& m) {
  int64_t major = 0;
  int64_t minor = 0;
  CA_RETURN_IF_ERROR(read_field(root, "format_major", major));
  CA_RETURN_IF_ERROR(read_field(root, "format_minor", minor));
  if (major != kFormatMajor) {
    return unsupported("{}: package format {}.{}; this build reads {}.{}", kSource, major, minor,
                       kFormatMajor, kFormatMinor);
  }
  m.format_major = static_cast<int>(major);
  m.format_minor = static_cast<int>(minor);
  return {};
}

}  // namespace

std::string manifest_to_json(const Manifest& m) {
  JsonWriter w;
  w.begin_object();
  w.field("format_major", m.format_major).field("format_minor", m.format_minor);
  w.field("engine_name", m.engine_name).field("engine_version", m.engine_version);
  w.field("exact_numerics", m.exact_numerics)
      .field("exact_engine_version", m.exact_engine_version)
      .list("op_libraries", m.op_libraries);
  w.field("torch_version", m.torch_version).field("verified", m.verified);
  w.field("costs_are_measured", m.costs_are_measured);
  w.key("tolerance").begin_object();
  w.field("rtol", m.tolerance.rtol)
      .field("atol", m.tolerance.atol)
      .field("of_scale", m.tolerance.of_scale);
  w.end_object();
  write_list(w, "inputs", m.inputs, [&](const ProgramInput& i) {
    write_port_fields(w, i.port);
    w.field("fixed_value", i.fixed_value);
  });
  write_list(w, "outputs", m.outputs, [&](const ProgramOutput& o) { write_output(w, o); });
  w.field("in_spec", m.in_spec).field("out_spec", m.out_spec);
  write_list(w, "symbols", m.symbols, [&](const SymbolBounds& s) {
    w.field("symbol", s.symbol).field("min", s.min).field("max", s.max);
  });
  write_list(w, "callables", m.callables, [&](const Callable& c) { write_callable(w, c); });
  write_list(w, "strategies", m.strategies, [&](const Strategy& s) { write_strategy(w, s); });
  w.field("strategy_candidates", m.strategy_candidates);
  write_list(w, "rejections", m.rejections, [&](const Rejection& r) {
    w.field("candidate", r.candidate).field("reason", r.reason);
  });
  w.end_object();
  return w.take();
}

Result<Manifest> manifest_from_json(std::string_view text) {
  CA_ASSIGN_OR_RETURN(const auto document, JsonDocument::parse(text, kSource));
  const JsonView root = document->root();
  Manifest m;
  CA_RETURN_IF_ERROR(read_version(root, m));
  CA_RETURN_IF_ERROR(read_field(root, "engine_name", m.engine_name));
  CA_RETURN_IF_ERROR(read_field(root, "engine_version", m.engine_version));
  CA_RETURN_IF_ERROR(read_newer_field(root, "exact_numerics", m.exact_numerics));
  CA_RETURN_IF_ERROR(read_newer_field(root, "exact_engine_version", m.exact_engine_version));
  CA_RETURN_IF_ERROR(read_newer_field(root, "op_libraries", m.op_libraries));
  CA_RETURN_IF_ERROR(read_field(root, "torch_version", m.torch_version));
  CA_RETURN_IF_ERROR(read_field(root, "verified", m.verified));
  CA_RETURN_IF_ERROR(read_field(root, "costs_are_measured", m.costs_are_measured));
  CA_ASSIGN_OR_RETURN(const JsonView tolerance, root.get("tolerance"));
  CA_RETURN_IF_ERROR(read_tolerance(tolerance, m.tolerance));
  CA_RETURN_IF_ERROR(read_list(root, "inputs", m.inputs, read_input));
  CA_RETURN_IF_ERROR(read_list(root, "outputs", m.outputs, read_output));
  CA_RETURN_IF_ERROR(read_field(root, "in_spec", m.in_spec));
  CA_RETURN_IF_ERROR(read_field(root, "out_spec", m.out_spec));
  CA_RETURN_IF_ERROR(read_list(root, "symbols", m.symbols, read_symbol));
  CA_RETURN_IF_ERROR(read_list(root, "callables", m.callables, read_callable));
  CA_RETURN_IF_ERROR(read_list(root, "strategies", m.strategies, read_strategy));
  CA_RETURN_IF_ERROR(read_field(root, "strategy_candidates", m.strategy_candidates));
  CA_RETURN_IF_ERROR(read_list(root, "rejections", m.rejections, read_rejection));
  const Status valid = m.validate();
  if (!valid.ok()) return valid.with_context(kSource);
  return m;
}

}  // namespace changeaware
