// What every command does with its arguments.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "changeaware/session.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::cli {

// Fills the variables that `app` is bound to. False when the user asked for help, which is then on
// standard output. InvalidArgument names the option at fault.
Result<bool> parse_arguments(CLI::App& app, int argc, char** argv);

// A repeatable option that takes one word each time.
CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                            const std::string& description);

// A number of bytes, also as 64MiB or 1.5GB.
CLI::Option* add_bytes_option(CLI::App& app, const std::string& name, uint64_t& bytes,
                              const std::string& description);

// --torch and --op-library.
void add_exact_engine_options(CLI::App& app, ExactEngineOptions& options);

// Those, and --threads, --retained-budget, --resident-budget and --blob-folder.
void add_session_options(CLI::App& app, SessionOptions& options);

// "NAME=VALUE" words as a map. InvalidArgument, naming `option`, for a word without a name or '=',
// and for a name that comes twice.
Result<std::map<std::string, std::string>> split_assignments(const std::string& option,
                                                             const std::vector<std::string>& words);

// "NAME=FILE.npy" words as tensors by name. An error about a file names `option` and NAME, too.
Result<std::map<std::string, Tensor>> read_assigned_tensors(const std::string& option,
                                                            const std::vector<std::string>& words);

inline constexpr const char* kReferenceOption = "--reference";

// The tensors by name of the .npz file that --reference gives; none without it. Errors name the
// option, the file and the name.
Result<std::map<std::string, Tensor>> read_reference(const std::string& file);

}  // namespace changeaware::cli
