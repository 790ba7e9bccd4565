#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "changeaware/package.h"
#include "changeaware/session.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/live_report.h"
#include "cli/manifest_json.h"
#include "cli/replayer.h"
#include "cli/strategies_text.h"
#include "cli/text_table.h"
#include "cli/trace.h"

namespace changeaware::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string type_text(const Port& port) {
  return fmt::format("{} [{}]", dtype_name(port.dtype), fmt::join(port.shape, ", "));
}

std::string output_text(const ProgramOutput& output) {
  using Kind = ProgramOutput::Kind;
  switch (output.kind) {
    case Kind::kPort: return type_text(output.port);
    case Kind::kConstantTensor: return type_text(output.port) + ", fixed at export";
    case Kind::kNone: return "None";
    case Kind::kInt: return fmt::format("{}, fixed at export", output.int_value);
    case Kind::kFloat: return fmt::format("{}, fixed at export", output.float_value);
    case Kind::kBool:
      return output.int_value != 0 ? "True, fixed at export" : "False, fixed at export";
    case Kind::kString: return fmt::format("\"{}\", fixed at export", output.string_value);
  }
  return "";
}

void print_signature(const Manifest& manifest) {
  Rows rows;
  for (const ProgramInput& input : manifest.inputs) {
    const bool is_fixed = !input.fixed_value.empty();
    rows.push_back({input.port.name,
                    is_fixed ? input.fixed_value + ", fixed at export" : type_text(input.port)});
  }
  fmt::print("inputs\n{}", format_table(rows, 2));
  rows.clear();
  for (const ProgramOutput& output : manifest.outputs) {
    rows.push_back({output.name, output_text(output)});
  }
  fmt::print("outputs\n{}", format_table(rows, 2));
  rows.clear();
  for (const SymbolBounds& bounds : manifest.symbols) {
    const bool is_open = bounds.max == INT64_MAX;
    rows.push_back({bounds.symbol, fmt::format("{} to {}", bounds.min,
                                               is_open ? "any" : std::to_string(bounds.max))});
  }
  if (!rows.empty()) fmt::print("symbolic sizes\n{}", format_table(rows, 2));
}

std::string costs_text(const CallableCosts& costs) {
  return fmt::format("{} a run, {} at the 95th percentile, {} the first; {} to load; {} resident",
                     format_time(costs.steady_us), format_time(costs.p95_us),
                     format_time(costs.cold_us), format_time(costs.load_us),
                     format_bytes(costs.resident_bytes));
}

void print_callables(const Manifest& manifest) {
  fmt::print("callables, costs {}\n",
             manifest.costs_are_measured ? "as measured on the examples" : "estimated from shapes");
  for (const Callable& callable : manifest.callables) {
    fmt::print("  {}: {} nodes, {} of weights\n", callable.name, callable.node_count,
               format_bytes(callable.weight_bytes));
    if (callable.exact_node_count > 0)
      fmt::print("    exact       {} of them run on the exact engine\n", callable.exact_node_count);
    fmt::print("    identity    {}\n", callable.identity);
    fmt::print("    costs       {}\n", costs_text(callable.costs));
    fmt::print("    depends on  {}\n", join_names(callable.dependencies, "no input"));
    if (!callable.shape_dependencies.empty()) {
      fmt::print("    shapes of   {}\n", join_names(callable.shape_dependencies));
    }
    Rows rows;
    for (const Port& port : callable.inputs) rows.push_back({"in", port.name, type_text(port)});
    for (const Port& port : callable.outputs) rows.push_back({"out", port.name, type_text(port)});
    for (const std::string& message : callable.assertions) rows.push_back({"assert", message});
    fmt::print("{}", format_table(rows, 4));
  }
}

void print_text(const Package& package) {
  const Manifest& manifest = package.manifest();
  fmt::print("{}\n", package.path());
  fmt::print("  made from PyTorch {} for {} {}, format {}.{}\n", manifest.torch_version,
             manifest.engine_name, manifest.engine_version, manifest.format_major,
             manifest.format_minor);
  if (!manifest.exact_engine_version.empty())
    fmt::print("  {} on the exact engine, PyTorch {}\n",
               manifest.exact_numerics ? "everything" : "some nodes",
               manifest.exact_engine_version);
  fmt::print("  {}\n",
             manifest.verified
                 ? "verified: main and the strategies were executed on the examples and agree"
                 : "not verified by execution: there were no example inputs");
  print_signature(manifest);
  print_callables(manifest);
  fmt::print("{}", strategies_text(manifest));
  if (manifest.rejections.empty()) return;
  Rows rows;
  for (const Rejection& rejection : manifest.rejections) {
    rows.push_back({rejection.candidate, rejection.reason});
  }
  fmt::print("rejected\n{}", format_table(rows, 2));
}

// What a session on the package holds after the requests of a trace.
Result<int> inspect_live(const std::shared_ptr<const Package>& package, const std::string& trace,
                         const SessionOptions& options, bool as_json) {
  CA_ASSIGN_OR_RETURN(const auto requests, read_trace(trace));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, options));
  Replayer replayer(*session, {}, nullptr);
  bool all_answered = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    const ReplayResult result = replayer.run(i, requests[i]);
    if (result.status.ok()) continue;
    all_answered = false;
    fmt::print(stderr, "request {}: {}\n", i, result.status.to_string());
  }
  const SessionStats stats = session->stats();
  fmt::print("{}", as_json ? live_json(stats) + "\n" : live_text(stats));
  return all_answered ? 0 : 1;
}

}  // namespace

Result<int> inspect_command(int argc, char** argv) {
  std::string path;
  std::string trace;
  SessionOptions options;
  bool as_json = false;
  CLI::App app("Shows what a package holds.", "changeaware inspect");
  app.add_option("PACKAGE", path, "a package written by `changeaware compile`")->required();
  app.add_option("--live", trace,
                 "answer the requests of this trace, then show what the session holds: resident "
                 "and retained bytes by callable and entry");
  add_session_options(app, options);
  app.add_flag("--json", as_json, "print one JSON document");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;

  CA_ASSIGN_OR_RETURN(const auto package, Package::open(path));
  if (!trace.empty()) return inspect_live(package, trace, options, as_json);
  if (as_json) {
    fmt::print("{}\n", manifest_to_json(package->manifest()));
  } else {
    print_text(*package);
  }
  return 0;
}

}  // namespace changeaware::cli
