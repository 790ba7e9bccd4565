// The engine that runs a package: the fast one, with the exact one behind it where it is needed.
#pragma once

#include <memory>
#include <string>

#include "changeaware/exact_engine.h"
#include "engine/engine.h"

namespace changeaware {

struct EngineOptions {
  int threads = 0;           // 0 = all cores
  std::string blob_folder;   // empty = no compiled blobs on disk
  bool needs_exact = false;  // some node is exact
  ExactEngineOptions exact_engine;
};

// Unsupported, saying what to do, when the exact engine is needed and is not there.
Result<std::unique_ptr<Engine>> start_engine(const EngineOptions& options);

}  // namespace changeaware
