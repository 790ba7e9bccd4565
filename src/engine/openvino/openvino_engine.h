// The fast engine: OpenVINO's CPU plug-in, fed through its PyTorch frontend by a C++ decoder.
//
// Facts and pitfalls this rests on: docs/engine.md. Precision is pinned to f32, one stream,
// `threads` worker threads. Constants stay in the mapped file where OpenVINO allows it.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace changeaware {

struct OpenVinoOptions {
  int threads = 0;  // 0 = all cores
};

// Internal when the OpenVINO libraries cannot be loaded.
Result<std::unique_ptr<Engine>> make_openvino_engine(const OpenVinoOptions& options);

}  // namespace changeaware
