// inspect_system(): what this machine and this build offer, for `changeaware doctor` and bug
// reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "changeaware/exact_engine.h"
#include "changeaware/export_macro.h"

namespace changeaware {

// An engine or an optional part.
struct SystemPart {
  std::string name;
  std::string version;  // empty when not present
  bool present = false;
  std::string note;  // what it is for; when not present, why and how to get it
};

struct SystemReport {
  std::string version;         // of this library
  std::string package_format;  // newest that it reads, "1.0"
  std::string cpu_model;
  std::vector<std::string> cpu_features;  // those that engines use: "AVX2", "AVX-512", "NEON", …
  int cores = 0;                          // physical
  int threads = 0;                        // hardware threads
  int usable_threads = 0;                 // that this process may run on
  uint64_t memory_bytes = 0;
  std::vector<SystemPart> engines;
  std::vector<SystemPart> optional_parts;
  std::string cache_folder;  // of compiled callables and the exact engine's plug-in; may be empty
  uint64_t cache_bytes = 0;  // of all that is in it
  std::vector<std::string> missing;  // one sentence each, with how to get it; empty = all well
};

// Never fails: what cannot be found out is empty or 0. Tries to start each engine, which may take a
// second and, for the exact one, loads PyTorch. Thread safety: may be called concurrently.
CHANGEAWARE_API SystemReport inspect_system(const ExactEngineOptions& exact_engine = {});

}  // namespace changeaware
