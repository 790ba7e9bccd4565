// A callable that an ExternalEngine runs, as an Executable: what comes back is checked.
#pragma once

#include <memory>

#include "changeaware/external_engine.h"
#include "engine/engine.h"

namespace changeaware {

// `callable` must outlive what is returned. Errors: Unsupported when it decides assertions, which
// no external engine reports; those of ExternalEngine::load().
// run() gives Internal, naming the output, for one that is missing or does not fit its port.
Result<std::unique_ptr<Executable>> load_external(const ExternalEngine& engine,
                                                  const Callable& callable);

}  // namespace changeaware
