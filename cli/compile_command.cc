#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "changeaware/compiler.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/manifest_json.h"
#include "cli/process_memory.h"
#include "cli/progress.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

struct Outcome {
  std::string model;
  std::string package;
  CompileReport report;
  uint64_t package_bytes = 0;
  double seconds = 0;
};

// Candidates that were considered and are not in the package.
uint64_t pruned(const CompileReport& report) {
  const size_t kept = report.strategies.size();
  return report.strategy_candidates > kept ? report.strategy_candidates - kept : 0;
}

void print_json(const Outcome& outcome) {
  const CompileReport& report = outcome.report;
  JsonOutput json;
  json.begin_object();
  json.field("model", outcome.model);
  json.field("package", outcome.package);
  json.field("package_bytes", outcome.package_bytes);
  json.list("callables", report.callables);
  json.list("strategies", report.strategies);
  json.field("strategy_candidates", static_cast<uint64_t>(report.strategy_candidates));
  json.field("strategies_pruned", pruned(report));
  write_rejections(json, report.rejections);
  json.field("nodes_read", static_cast<uint64_t>(report.nodes_read));
  json.field("nodes_kept", static_cast<uint64_t>(report.nodes_kept));
  json.list("exact_nodes", report.exact_nodes);
  json.field("verified", report.verified);
  json.field("compared_with_pytorch", report.compared_with_exact);
  json.field("seconds", outcome.seconds);
  json.key("stage_seconds");
  json.begin_object();
  for (const auto& [stage, seconds] : report.stage_seconds) json.field(stage, seconds);
  json.end_object();
  json.field("peak_rss_bytes", process_memory().peak_rss_bytes);
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_exact_nodes(const std::vector<std::string>& nodes) {
  constexpr size_t kMost = 8;
  if (nodes.empty()) return;
  fmt::print("  exact      {} nodes run on the exact engine:\n", nodes.size());
  for (size_t i = 0; i < std::min(kMost, nodes.size()); ++i) fmt::print("    {}\n", nodes[i]);
  if (nodes.size() > kMost) fmt::print("    and {} more\n", nodes.size() - kMost);
}

void print_text(const Outcome& outcome) {
  const CompileReport& report = outcome.report;
  fmt::print("{}: {} in {:.1f} s\n", outcome.package, format_bytes(outcome.package_bytes),
             outcome.seconds);
  fmt::print("  callables  {}\n", join_names(report.callables));
  fmt::print("  strategies {}\n", join_names(report.strategies));
  fmt::print("             of {} candidates, {} pruned; {} rejections, with reasons in `inspect`\n",
             report.strategy_candidates, pruned(report), report.rejections.size());
  fmt::print("  nodes      {} read, {} after normalisation\n", report.nodes_read,
             report.nodes_kept);
  fmt::print("  verified   {}\n", report.verified
                                      ? "yes: main and the strategies were executed and agree"
                                      : "no: there were no example inputs");
  if (report.compared_with_exact)
    fmt::print("  compared   main agrees with PyTorch's own operators on the example inputs\n");
  print_exact_nodes(report.exact_nodes);
  fmt::print("`changeaware inspect {}` shows what runs when an input changes.\n", outcome.package);
}

Result<Outcome> compile_timed(Outcome outcome, CompileOptions options) {
  ProgressBar bar;
  options.progress = [&bar](std::string_view stage, double fraction) { bar.show(stage, fraction); };
  const auto begin = std::chrono::steady_clock::now();
  CA_ASSIGN_OR_RETURN(outcome.report, compile(outcome.model, outcome.package, options));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  outcome.seconds = elapsed.count();
  std::error_code ignored;
  outcome.package_bytes = std::filesystem::file_size(outcome.package, ignored);
  return outcome;
}

const std::map<std::string, Numerics> kNumerics = {{"fast", Numerics::kFast},
                                                   {"exact", Numerics::kExact}};

struct Words {
  std::vector<std::string> examples;
  std::string reference;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<double> oracle_rtol;
  std::optional<double> oracle_atol;
  bool nominal_costs = false;
};

void add_options(CLI::App& app, CompileOptions& options, Words& words) {
  add_repeatable(app, "--example", words.examples,
                 "NAME=FILE.npy: an example input, in place of the one saved in MODEL");
  app.add_option(kReferenceOption, words.reference,
                 "FILE.npz: outputs by name, computed elsewhere from the example inputs; the "
                 "package is written only when they agree");
  app.add_option("--rtol", words.rtol, "relative tolerance of strategies against the whole program")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--atol", words.atol, "absolute tolerance; both 0: to the bit")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--numerics", options.numerics,
                 "fast: within a tolerance of PyTorch; exact: PyTorch's own operators and bits")
      ->transform(CLI::CheckedTransformer(kNumerics));
  add_exact_engine_options(app, options.exact_engine);
  app.add_option("--oracle-rtol", words.oracle_rtol,
                 "relative tolerance of the whole program against PyTorch, where that is there")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--oracle-atol", words.oracle_atol, "absolute tolerance of the same")
      ->check(CLI::NonNegativeNumber);
  add_bytes_option(app, "--retained-budget", options.retained_budget_bytes,
                   "leave out strategies that retain more: 1000000, 64MiB");
  app.add_option("--max-strategies", options.max_strategies, "how many strategies to keep")
      ->check(CLI::PositiveNumber);
  app.add_flag("--nominal-costs", words.nominal_costs,
               "choose by estimates from shapes: the same package every time");
  app.add_option("--threads", options.threads, "engine threads; 0 = all cores")
      ->check(CLI::NonNegativeNumber);
}

Status interpret(const Words& words, CompileOptions& options) {
  CA_ASSIGN_OR_RETURN(options.examples, read_assigned_tensors("--example", words.examples));
  CA_ASSIGN_OR_RETURN(options.reference, read_reference(words.reference));
  if (words.rtol || words.atol) {
    options.tolerance = {words.rtol.value_or(0), words.atol.value_or(0), 0};
  }
  if (words.oracle_rtol || words.oracle_atol) {
    options.oracle_tolerance = {words.oracle_rtol.value_or(0), words.oracle_atol.value_or(0), 0};
  }
  if (words.nominal_costs) options.costs = CostSource::kNominal;
  return {};
}

}  // namespace

Result<int> compile_command(int argc, char** argv) {
  Outcome outcome;
  CompileOptions options;
  Words words;
  bool as_json = false;
  CLI::App app("Turns an exported program into a package.", "changeaware compile");
  app.add_option("MODEL", outcome.model, "a .pt2 file written by torch.export.save")->required();
  app.add_option("-o,--output", outcome.package, "the package to write")->required();
  add_options(app, options, words);
  app.add_flag("--json", as_json, "print one JSON document");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;

  CA_RETURN_IF_ERROR(interpret(words, options));
  CA_ASSIGN_OR_RETURN(outcome, compile_timed(std::move(outcome), std::move(options)));
  as_json ? print_json(outcome) : print_text(outcome);
  return 0;
}

}  // namespace changeaware::cli
