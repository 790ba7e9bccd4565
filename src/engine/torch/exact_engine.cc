#include "changeaware/exact_engine.h"

#include <exception>
#include <filesystem>

#include "base/errors.h"
#include "engine/torch/location.h"
#include "engine/torch/plugin_files.h"

namespace changeaware {
namespace {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

ExactEngineReport report_of(const torch::Location& location) {
  ExactEngineReport report{location.folder, location.version, "", location.problem};
  if (!report.problem.empty()) return report;
  const std::string path = torch::plugin_path(location);
  if (is_file(path)) {
    report.plugin = path;
  } else {
    report.problem = fmt::format(
        "the plug-in for PyTorch {} in {} is not built yet: run `changeaware doctor "
        "--build-torch-engine`",
        location.version, location.folder);
  }
  return report;
}

}  // namespace

ExactEngineReport find_exact_engine(const ExactEngineOptions& options) {
  try {
    return report_of(torch::locate_torch(options.torch_folder));
  } catch (const std::exception& e) {
    ExactEngineReport report;
    report.problem = e.what();
    return report;
  }
}

Result<ExactEngineReport> build_exact_engine(const ExactEngineOptions& options) {
  try {
    const torch::Location location = torch::locate_torch(options.torch_folder);
    if (!location.problem.empty()) return unsupported("{}", location.problem);
    const std::string path = torch::plugin_path(location);
    if (!is_file(path)) CA_RETURN_IF_ERROR(torch::build_plugin(location, path));
    return report_of(location);
  } catch (const std::exception& e) {
    return io_error("the plug-in cannot be built: {}", e.what());
  }
}

}  // namespace changeaware
