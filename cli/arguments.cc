#include "cli/arguments.h"

#include <utility>

#include "cli/error.h"
#include "cli/npy.h"
#include "cli/npz.h"

namespace changeaware::cli {

Result<bool> parse_arguments(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& e) {
    return error(StatusCode::kInvalidArgument, "{} (`{} --help` lists the options)", e.what(),
                 app.get_name());
  }
  return true;
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                            const std::string& description) {
  return app.add_option(name, words, description)->allow_extra_args(false);
}

CLI::Option* add_bytes_option(CLI::App& app, const std::string& name, uint64_t& bytes,
                              const std::string& description) {
  // A negative number would wrap around.
  const CLI::Validator no_sign(
      [](std::string& word) {
        return word.starts_with('-') ? word + " is negative" : std::string();
      },
      "");
  // kB = 1000 bytes, KiB = 1024. The last one added is asked first.
  return app.add_option(name, bytes, description)
      ->transform(CLI::AsSizeValue(true))
      ->transform(no_sign);
}

void add_exact_engine_options(CLI::App& app, ExactEngineOptions& options) {
  app.add_option("--torch", options.torch_folder,
                 "folder of PyTorch for the exact engine; else $CHANGEAWARE_LIBTORCH, else the one "
                 "of the Python environment");
  add_repeatable(app, "--op-library", options.op_libraries,
                 "a shared library that registers custom operators");
}

void add_session_options(CLI::App& app, SessionOptions& options) {
  add_exact_engine_options(app, options.exact_engine);
  app.add_option("--threads", options.threads, "engine threads; 0 = all cores")
      ->check(CLI::NonNegativeNumber);
  add_bytes_option(app, "--retained-budget", options.retained_budget_bytes,
                   "bytes that may be retained between requests: 1000000, 64MiB");
  add_bytes_option(app, "--resident-budget", options.resident_budget_bytes,
                   "bytes that loaded callables may take");
  app.add_option("--blob-folder", options.blob_folder,
                 "where compiled callables are kept between runs; \"off\" = nowhere");
}

Result<std::map<std::string, std::string>> split_assignments(
    const std::string& option, const std::vector<std::string>& words) {
  std::map<std::string, std::string> out;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      return error(StatusCode::kInvalidArgument, "{} {}: expected NAME=VALUE", option, word);
    }
    const std::string name = word.substr(0, equals);
    if (!out.emplace(name, word.substr(equals + 1)).second) {
      return error(StatusCode::kInvalidArgument, "{} {}: {} is given twice", option, word, name);
    }
  }
  return out;
}

Result<std::map<std::string, Tensor>> read_assigned_tensors(const std::string& option,
                                                            const std::vector<std::string>& words) {
  CA_ASSIGN_OR_RETURN(const auto files, split_assignments(option, words));
  std::map<std::string, Tensor> out;
  for (const auto& [name, file] : files) {
    Result<Tensor> tensor = read_npy(file);
    if (!tensor.ok()) return tensor.status().with_context(fmt::format("{} {}", option, name));
    out.emplace(name, *std::move(tensor));
  }
  return out;
}

Result<std::map<std::string, Tensor>> read_reference(const std::string& file) {
  if (file.empty()) return std::map<std::string, Tensor>();
  Result<std::map<std::string, Tensor>> out = read_npz(file);
  if (!out.ok()) return out.status().with_context(kReferenceOption);
  return out;
}

}  // namespace changeaware::cli
