// The plug-in in this process: loaded once, never unloaded.
#pragma once

#include <string>
#include <vector>

#include "changeaware/exact_engine.h"
#include "changeaware/status.h"
#include "engine/torch/plugin/plugin_interface.h"

namespace changeaware::torch {

struct Plugin {
  const CaTorchPlugin* functions = nullptr;  // lives for the whole process
  std::string torch_version;
  std::string torch_folder;
};

// Loads PyTorch and the plug-in at the first call, and the operator libraries that are new.
// Unsupported with one sentence, as make_torch_engine() says. May be called concurrently.
Result<Plugin> load_plugin(const ExactEngineOptions& options);

// Loads the file that `report` names; its PyTorch must be there already. Unsupported when it cannot
// be loaded or is not a plug-in of this version for that PyTorch.
Result<const CaTorchPlugin*> open_plugin(const ExactEngineReport& report);

// A code and message of the plug-in as a Status.
Status to_status(int32_t code, const CaTorchMessage& message);

}  // namespace changeaware::torch
