#include "engine/torch/plugin_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <mutex>
#include <set>

#include "base/errors.h"

namespace changeaware::torch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRebuild = "run `changeaware doctor --build-torch-engine`";

std::string canonical(const std::string& path) {
  std::error_code failed;
  const fs::path out = fs::canonical(path, failed);
  return failed ? path : out.string();
}

std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "the loader says nothing" : text;
}

// Two copies of PyTorch in one process would share some of their symbols and not others, so a copy
// that somebody else has loaded must be the one that is wanted.
Status load_torch(const std::string& folder) {
  const std::string wanted = folder + "/lib/libtorch_cpu.so";
  void* loaded = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) {
    // Found by name from here on, also by the plug-in.
    loaded = dlopen(wanted.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (loaded != nullptr) return {};
    return unsupported("the PyTorch in {} cannot be loaded: {}", folder, loader_error());
  }
  const link_map* map = nullptr;
  if (dlinfo(loaded, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
      canonical(map->l_name) != canonical(wanted)) {
    return unsupported("this process already has another PyTorch ({}) than the one asked for ({})",
                       map->l_name, wanted);
  }
  return {};
}

class Process {
 public:
  Result<Plugin> get(const ExactEngineOptions& options) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (plugin_.functions == nullptr) {
      CA_RETURN_IF_ERROR(load(options));
    } else if (!options.torch_folder.empty() &&
               canonical(options.torch_folder) != canonical(plugin_.torch_folder)) {
      return unsupported(
          "this process already runs the PyTorch in {}; another one ({}) needs a "
          "process of its own",
          plugin_.torch_folder, options.torch_folder);
    }
    for (const std::string& path : options.op_libraries) CA_RETURN_IF_ERROR(load_ops(path));
    return plugin_;
  }

 private:
  Status load(const ExactEngineOptions& options) {
    const ExactEngineReport report = find_exact_engine(options);
    if (!report.problem.empty()) return unsupported("{}", report.problem);
    CA_RETURN_IF_ERROR(load_torch(report.torch_folder));
    CA_ASSIGN_OR_RETURN(const CaTorchPlugin* functions, open_plugin(report));
    plugin_ = {functions, report.torch_version, report.torch_folder};
    return {};
  }

  Status load_ops(const std::string& path) {
    const std::string file = canonical(path);
    if (op_libraries_.contains(file)) return {};
    CaTorchMessage message{};
    const int32_t code = plugin_.functions->load_library(file.c_str(), &message);
    if (code != CA_TORCH_OK) {
      return unsupported("the operator library '{}' cannot be loaded: {}", path, message.text);
    }
    op_libraries_.insert(file);
    return {};
  }

  std::mutex mutex_;
  Plugin plugin_;                       // guarded by mutex_
  std::set<std::string> op_libraries_;  // guarded by mutex_
};

}  // namespace

Result<const CaTorchPlugin*> open_plugin(const ExactEngineReport& report) {
  void* library = dlopen(report.plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return unsupported("the plug-in for PyTorch {} cannot be loaded ({}): delete it and {}",
                       report.torch_version, loader_error(), kRebuild);
  }
  const auto entry = reinterpret_cast<CaTorchEntry>(dlsym(library, CA_TORCH_ENTRY));
  const CaTorchPlugin* functions = entry == nullptr ? nullptr : entry();
  if (functions == nullptr || functions->interface_version != CA_TORCH_INTERFACE_VERSION) {
    return unsupported("the plug-in {} is not one of this version: delete it and {}", report.plugin,
                       kRebuild);
  }
  if (report.torch_version.rfind(functions->torch_version, 0) != 0) {
    return unsupported("the plug-in {} was built against PyTorch {}, not {}: delete it and {}",
                       report.plugin, functions->torch_version, report.torch_version, kRebuild);
  }
  return functions;
}

Result<Plugin> load_plugin(const ExactEngineOptions& options) {
  static Process* process = new Process;  // outlives every executable
  return process->get(options);
}

Status to_status(int32_t code, const CaTorchMessage& message) {
  switch (code) {
    case CA_TORCH_OK: return {};
    case CA_TORCH_INVALID_ARGUMENT: return invalid_argument("{}", message.text);
    case CA_TORCH_UNSUPPORTED: return unsupported("{}", message.text);
    case CA_TORCH_OUT_OF_MEMORY: return over_budget("{}", message.text);
    default: return internal_error("{}", message.text);
  }
}

}  // namespace changeaware::torch
