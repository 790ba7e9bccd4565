#include "engine/start_engine.h"

#include <utility>

#include "engine/mixed/mixed_engine.h"
#include "engine/openvino/openvino_engine.h"
#include "engine/torch/torch_engine.h"

namespace changeaware {

Result<std::unique_ptr<Engine>> start_engine(const EngineOptions& options) {
  std::shared_ptr<Engine> exact;
  if (options.needs_exact || !options.exact_engine.op_libraries.empty()) {
    auto started = make_torch_engine(options.threads, options.exact_engine);
    if (!started.ok()) return started.status().with_context("the exact engine");
    exact = *std::move(started);
  }
  CA_ASSIGN_OR_RETURN(auto fast, make_openvino_engine({.threads = options.threads,
                                                       .blob_folder = options.blob_folder}));
  return make_mixed_engine(std::move(fast), std::move(exact));
}

}  // namespace changeaware
