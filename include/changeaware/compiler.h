// compile(): from an exported program to a package.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {

struct CompileOptions {
  // Example inputs by name; they replace the sample inputs in the file. Needed for every input only
  // when the file has no sample inputs: without examples the result is not verified by execution.
  std::map<std::string, Tensor> examples;
  int threads = 0;  // engine threads; 0 = all cores
  // Called on the calling thread with a stage name and a fraction in [0, 1]; may be empty.
  std::function<void(std::string_view stage, double fraction)> progress;
};

struct CompileReport {
  size_t nodes_read = 0;
  size_t nodes_kept = 0;  // after normalisation
  std::vector<std::string> callables;
  bool verified = false;  // `main` and the segments were executed and compared
  std::vector<std::pair<std::string, double>> stage_seconds;
};

// Reads `model_path` (`.pt2`), proves which parts depend on which inputs and writes the package to
// `package_path`, atomically: after an error a file that was there is untouched.
// Errors: Io, Corrupt, InvalidProgram (the file contradicts itself), InvalidArgument (an example
// that does not fit, by name), Unsupported (mutation of an input or buffer, random or unknown
// operators, an operator that the engine cannot run faithfully: names node and operator).
// Thread safety: may be called concurrently with different package paths.
Result<CompileReport> compile(const std::string& model_path, const std::string& package_path,
                              const CompileOptions& options = {});

}  // namespace changeaware
