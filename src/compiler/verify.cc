#include <utility>

#include "base/errors.h"
#include "changeaware/compiler.h"
#include "compiler/examples.h"
#include "engine/start_engine.h"
#include "engine/torch/torch_engine.h"
#include "package/package_file.h"
#include "strategy/execution.h"
#include "strategy/strategy_check.h"

namespace changeaware {
namespace {

using Progress = std::function<void(std::string_view, double)>;

// Reads every callable and computes its identity again.
Result<std::vector<ExportedProgram>> read_regions(const PackageFile& package,
                                                  const Progress& progress) {
  std::vector<ExportedProgram> regions;
  const auto& callables = package.manifest().callables;
  for (const Callable& c : callables) {
    if (progress) {
      progress("read", static_cast<double>(regions.size()) / static_cast<double>(callables.size()));
    }
    CA_ASSIGN_OR_RETURN(ExportedProgram region, package.region(c.name));
    regions.push_back(std::move(region));
  }
  return regions;
}

Result<std::vector<Tensor>> find_examples(const PackageFile& package, ExportedProgram main,
                                          const std::map<std::string, Tensor>& given) {
  CA_ASSIGN_OR_RETURN(main.sample_inputs, package.examples());
  CA_ASSIGN_OR_RETURN(std::vector<Tensor> examples, example_inputs(main, given));
  if (examples.empty() && !main.graph.inputs().empty()) {
    return invalid_argument("{}: holds no example inputs, and none are given", package.path());
  }
  return examples;
}

StrategyVerdict judge(const Manifest& manifest, const Strategy& strategy,
                      const Execution& execution) {
  StrategyCheck check = check_strategy(manifest, strategy, execution);
  StrategyVerdict verdict{.strategy = strategy.name,
                          .masks = execution.sets.size() - 1,
                          .equal = check.equal,
                          .bits_of_main = check.bits_of_main,
                          .difference = std::move(check.difference)};
  if (strategy.callables == std::vector<std::string>{"main"}) {
    verdict.difference = fmt::format("{}", fmt::join(execution.reference_differences, ""));
    verdict.equal = verdict.difference.empty();
  }
  return verdict;
}

}  // namespace

Result<VerifyReport> verify_package(const std::string& package_path, const VerifyOptions& options) {
  CA_ASSIGN_OR_RETURN(const auto package, PackageFile::open(package_path));
  const Manifest& manifest = package->manifest();
  if (!options.exact_engine.op_libraries.empty()) {
    CA_RETURN_IF_ERROR(package->register_operators(torch_op_schemas(options.exact_engine)));
  }
  CA_ASSIGN_OR_RETURN(const auto regions, read_regions(*package, options.progress));
  CA_ASSIGN_OR_RETURN(const auto examples, find_examples(*package, regions[0], options.examples));
  CA_ASSIGN_OR_RETURN(const auto engine,
                      start_engine({.threads = options.threads,
                                    .needs_exact = !manifest.exact_engine_version.empty(),
                                    .exact_engine = options.exact_engine}));
  const auto progress = [&](size_t done, size_t total) {
    if (options.progress) {
      options.progress("execute", static_cast<double>(done) / static_cast<double>(total));
    }
  };
  std::vector<Reference> references;
  if (!options.reference.empty())
    references.push_back({"the reference", options.reference, manifest.tolerance});
  CA_ASSIGN_OR_RETURN(const Execution execution, execute(*engine, manifest, regions, examples,
                                                         {.measure = false,
                                                          .tolerance = manifest.tolerance,
                                                          .references = references,
                                                          .progress = progress}));
  VerifyReport report{.equal = true};
  for (const Strategy& strategy : manifest.strategies) {
    report.strategies.push_back(judge(manifest, strategy, execution));
    report.equal = report.equal && report.strategies.back().equal;
  }
  return report;
}

}  // namespace changeaware
