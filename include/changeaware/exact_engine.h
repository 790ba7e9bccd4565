// The exact engine: PyTorch's own operators, called through its dispatcher by a plug-in that is
// built against the PyTorch that is found (docs/exact_engine.md). Nothing here links PyTorch.
#pragma once

#include <string>
#include <vector>

#include "changeaware/export_macro.h"
#include "changeaware/status.h"

namespace changeaware {

struct ExactEngineOptions {
  // Folder of PyTorch: what holds lib/libtorch_cpu.so. Empty: $CHANGEAWARE_LIBTORCH, else the
  // PyTorch of the Python environment ($VIRTUAL_ENV, else `python3` in $PATH).
  std::string torch_folder;
  // Shared libraries that register custom operators; loaded into the process and never unloaded.
  std::vector<std::string> op_libraries;
};

// What is there. `problem` is one sentence that says what to do; empty = it can be used.
struct ExactEngineReport {
  std::string torch_folder;
  std::string torch_version;
  std::string plugin;  // path of the built plug-in; empty when there is none for this PyTorch
  std::string problem;
};

// Looks without loading anything. Never fails.
CHANGEAWARE_API ExactEngineReport find_exact_engine(const ExactEngineOptions& options = {});

// Builds the plug-in for the PyTorch found, with the C++ compiler ($CXX, else c++), into the
// platform's cache folder; once per version of PyTorch and of this library.
// Errors: Unsupported (no PyTorch, or one of another version than this library knows: says which),
// Io, Internal with the compiler's output.
CHANGEAWARE_API Result<ExactEngineReport> build_exact_engine(
    const ExactEngineOptions& options = {});

}  // namespace changeaware
