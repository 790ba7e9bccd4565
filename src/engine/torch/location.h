// Where PyTorch is, and which one, without loading it.
#pragma once

#include <string>
#include <vector>

#include "changeaware/exact_engine.h"

namespace changeaware::torch {

struct Location {
  std::string folder;   // holds lib/ and include/; empty when there is none
  std::string version;  // "2.13.0+cpu"
  std::string problem;  // one sentence; empty = the plug-in can be built against it
};

// In the order that exact_engine.h says. Asks `python3` only when nothing else names a folder.
Location locate_torch(const std::string& wanted_folder);

// The versions that the plug-in is known to work with, as "2.13".
const std::vector<std::string>& known_versions();

}  // namespace changeaware::torch
