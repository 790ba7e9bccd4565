// The plug-in's sources, which the library carries, and the shared library made of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "changeaware/status.h"
#include "engine/torch/location.h"

namespace changeaware::torch {

struct PluginSource {
  std::string_view name;  // "engine/torch/plugin/program.h"
  std::string_view text;
};

// The files of src/engine/torch/plugin (made by CMake).
std::span<const PluginSource> plugin_sources();

// <cache folder>/torch-engine/<version>-<digest of the sources>/libchangeaware_torch.so; empty when
// no cache folder is known. The file need not exist.
std::string plugin_path(const Location& location);

// Compiles it. Written under another name and renamed, so that several processes may build at once.
// Io naming the file; Internal with the compiler's output.
Status build_plugin(const Location& location, const std::string& path);

}  // namespace changeaware::torch
