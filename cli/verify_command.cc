#include <fmt/format.h>

#include "changeaware/compiler.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

void print_json(const std::string& package, const VerifyReport& report) {
  JsonOutput json;
  json.begin_object();
  json.field("package", package);
  json.field("equal", report.equal);
  json.key("strategies");
  json.begin_array();
  for (const StrategyVerdict& verdict : report.strategies) {
    json.begin_object();
    json.field("strategy", verdict.strategy);
    json.field("masks", static_cast<uint64_t>(verdict.masks));
    json.field("equal", verdict.equal);
    json.field("bits_of_main", verdict.bits_of_main);
    json.field("difference", verdict.difference);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

std::string verdict_text(const StrategyVerdict& verdict) {
  if (!verdict.equal) return "DIFFERS: " + verdict.difference;
  if (verdict.strategy == "monolithic") return "runs main itself";
  if (verdict.bits_of_main) return "equal, with the bits of main";
  return "equal within the tolerance; " + verdict.difference;
}

void print_text(const std::string& package, const VerifyReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const StrategyVerdict& verdict : report.strategies) {
    rows.push_back({verdict.strategy, fmt::format("{} sets of changed inputs", verdict.masks),
                    verdict_text(verdict)});
  }
  fmt::print("{}: {}\n{}", package, report.equal ? "verified" : "NOT what it was compiled to be",
             format_table(rows, 2));
}

Result<VerifyReport> verify(const std::string& package, VerifyOptions options) {
  ProgressBar bar;
  options.progress = [&bar](std::string_view stage, double fraction) { bar.show(stage, fraction); };
  return verify_package(package, options);
}

}  // namespace

Result<int> verify_command(int argc, char** argv) {
  std::string package;
  std::string reference;
  std::vector<std::string> examples;
  VerifyOptions options;
  bool as_json = false;
  CLI::App app("Executes every strategy of a package on this machine and compares.",
               "changeaware verify");
  app.add_option("PACKAGE", package, "a package written by `changeaware compile`")->required();
  add_repeatable(app, "--example", examples,
                 "NAME=FILE.npy: an example input, in place of the one in PACKAGE");
  app.add_option(kReferenceOption, reference,
                 "FILE.npz: outputs by name, computed elsewhere from the example inputs");
  app.add_option("--threads", options.threads, "engine threads; 0 = all cores")
      ->check(CLI::NonNegativeNumber);
  add_exact_engine_options(app, options.exact_engine);
  app.add_flag("--json", as_json, "print one JSON document");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;

  CA_ASSIGN_OR_RETURN(options.examples, read_assigned_tensors("--example", examples));
  CA_ASSIGN_OR_RETURN(options.reference, read_reference(reference));
  CA_ASSIGN_OR_RETURN(const VerifyReport report, verify(package, std::move(options)));
  as_json ? print_json(package, report) : print_text(package, report);
  return report.equal ? 0 : 1;
}

}  // namespace changeaware::cli
