// compile(): from an exported program to a package.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "changeaware/exact_engine.h"
#include "changeaware/export_macro.h"
#include "changeaware/package.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {

// Where the times that cuts and strategies are chosen by come from. `kNominal` (shapes alone) makes
// the package byte-reproducible.
enum class CostSource : uint8_t { kMeasured, kNominal };

// Who computes. `kFast`: the fast engine, within a tolerance of PyTorch, and the exact engine for
// what the fast one cannot do faithfully. `kExact`: the exact engine alone, with PyTorch's bits.
enum class Numerics : uint8_t { kFast, kExact };

struct CompileOptions {
  // Example inputs by name; they replace the sample inputs in the file. Needed for every input only
  // when the file has no sample inputs: without examples the result is not verified by execution.
  std::map<std::string, Tensor> examples;
  int threads = 0;  // engine threads; 0 = all cores
  Numerics numerics = Numerics::kFast;
  ExactEngineOptions exact_engine;
  // How far `main` may be from the exact engine on the example inputs, where that engine is there.
  Tolerance oracle_tolerance{.atol = 1e-6};
  CostSource costs = CostSource::kMeasured;
  // Strategies that retain more are left out. `monolithic` always stays.
  uint64_t retained_budget_bytes = UINT64_MAX;
  size_t max_strategies = 16;  // at least 1: `monolithic`
  Tolerance tolerance;         // of strategies against `main`
  // Outputs by name, computed elsewhere from the example inputs; `main` must agree within
  // `tolerance`.
  std::map<std::string, Tensor> reference;
  // Called on the calling thread with a stage name and a fraction in [0, 1]; may be empty. What it
  // throws while the fraction is below 1 ends compile(), which then has written nothing, and leaves
  // it as it is: the one way to stop.
  std::function<void(std::string_view stage, double fraction)> progress;
};

struct CompileReport {
  size_t nodes_read = 0;
  size_t nodes_kept = 0;  // after normalisation
  std::vector<std::string> callables;
  std::vector<std::string> strategies;
  size_t strategy_candidates = 0;
  std::vector<Rejection> rejections;
  bool verified = false;                 // `main` and the strategies were executed and compared
  bool compared_with_exact = false;      // `main` was compared with the exact engine
  std::vector<std::string> exact_nodes;  // "node (operator): why the fast engine does not run it"
  std::vector<std::pair<std::string, double>> stage_seconds;
};

// Reads `model_path` (`.pt2`), proves which parts depend on which inputs and writes the package to
// `package_path`, atomically: after an error a file that was there is untouched.
// Errors: Io, Corrupt, InvalidProgram (the file contradicts itself), InvalidArgument (an example
// that does not fit, by name), Unsupported (mutation of an input or buffer, random or unknown
// operators, an operator that the engine cannot run faithfully: names node and operator).
// Thread safety: may be called concurrently with different package paths.
CHANGEAWARE_API Result<CompileReport> compile(const std::string& model_path,
                                              const std::string& package_path,
                                              const CompileOptions& options = {});

struct VerifyOptions {
  std::map<std::string, Tensor> examples;  // replace those in the package, by name
  int threads = 0;
  ExactEngineOptions exact_engine;
  std::map<std::string, Tensor> reference;  // as in CompileOptions
  std::function<void(std::string_view stage, double fraction)> progress;
};

struct StrategyVerdict {
  std::string strategy;
  size_t masks = 0;           // sets of changed inputs that were executed
  bool equal = false;         // to full runs bit by bit, to `main` within the package's tolerance
  bool bits_of_main = false;  // on every mask
  std::string difference;     // the first one: output, element, both values
};

struct VerifyReport {
  std::vector<StrategyVerdict> strategies;  // `monolithic` first: compared with the reference
  bool equal = false;                       // all of them
};

// Repeats on this machine what compile() proved by execution: identities, and every strategy
// against `main` for every set of changed inputs. Errors: those of Package::open; InvalidArgument
// when the package has no example inputs and none are given. A difference is no error: it is in
// the report.
CHANGEAWARE_API Result<VerifyReport> verify_package(const std::string& package_path,
                                                    const VerifyOptions& options = {});

}  // namespace changeaware
