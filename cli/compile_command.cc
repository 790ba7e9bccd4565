#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "changeaware/compiler.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json_output.h"
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

void print_json(const Outcome& outcome) {
  const CompileReport& report = outcome.report;
  JsonOutput json;
  json.begin_object();
  json.field("model", outcome.model);
  json.field("package", outcome.package);
  json.field("package_bytes", outcome.package_bytes);
  json.list("callables", report.callables);
  json.field("nodes_read", static_cast<uint64_t>(report.nodes_read));
  json.field("nodes_kept", static_cast<uint64_t>(report.nodes_kept));
  json.field("verified", report.verified);
  json.field("seconds", outcome.seconds);
  json.key("stage_seconds");
  json.begin_object();
  for (const auto& [stage, seconds] : report.stage_seconds) json.field(stage, seconds);
  json.end_object();
  json.field("peak_rss_bytes", process_memory().peak_rss_bytes);
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_text(const Outcome& outcome) {
  const CompileReport& report = outcome.report;
  fmt::print("{}: {} in {:.1f} s\n", outcome.package, format_bytes(outcome.package_bytes),
             outcome.seconds);
  fmt::print("  callables  {}\n", join_names(report.callables));
  fmt::print("  nodes      {} read, {} after normalisation\n", report.nodes_read,
             report.nodes_kept);
  fmt::print("  verified   {}\n", report.verified
                                      ? "yes: main and the segments were executed and agree"
                                      : "no: there were no example inputs");
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

}  // namespace

Result<int> compile_command(int argc, char** argv) {
  Outcome outcome;
  CompileOptions options;
  std::vector<std::string> examples;
  bool as_json = false;
  CLI::App app("Turns an exported program into a package.", "changeaware compile");
  app.add_option("MODEL", outcome.model, "a .pt2 file written by torch.export.save")->required();
  app.add_option("-o,--output", outcome.package, "the package to write")->required();
  add_repeatable(app, "--example", examples,
                 "NAME=FILE.npy: an example input, in place of the one saved in MODEL");
  app.add_option("--threads", options.threads, "engine threads; 0 = all cores")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", as_json, "print one JSON document");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;

  CA_ASSIGN_OR_RETURN(options.examples, read_assigned_tensors("--example", examples));
  CA_ASSIGN_OR_RETURN(outcome, compile_timed(std::move(outcome), std::move(options)));
  as_json ? print_json(outcome) : print_text(outcome);
  return 0;
}

}  // namespace changeaware::cli
