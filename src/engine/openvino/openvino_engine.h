// The fast engine: OpenVINO's CPU plug-in, fed through its PyTorch frontend by a C++ decoder.
//
// Facts and pitfalls this rests on: docs/engine.md. Precision is pinned to f32, one stream,
// `threads` worker threads. Constants stay in the mapped file where OpenVINO allows it.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"

namespace changeaware {

struct OpenVinoOptions {
  int threads = 0;          // 0 = all cores
  std::string blob_folder;  // where compiled blobs are kept; empty = nowhere
};

// $XDG_CACHE_HOME/changeaware, else $HOME/.cache/changeaware; empty when neither is set.
std::string default_blob_folder();

// Internal when the OpenVINO libraries cannot be loaded.
Result<std::unique_ptr<Engine>> make_openvino_engine(const OpenVinoOptions& options);

}  // namespace changeaware
