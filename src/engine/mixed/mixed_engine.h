// The mixed engine: runs a region on two engines, and its control flow.
//
// A region is cut into pieces by Node::exact; each piece is a graph of its own, compiled by its
// engine, and they run one after the other. Tensors pass between them without a copy and are let go
// after the last piece that reads them. A node with graphs among its arguments (torch.cond,
// while_loop, scan, map) is a piece of its own, whose bodies are compiled in the same way. A region
// without exact nodes and control flow is the fast engine's as it is.
// Thread safety and errors: as engine.h. Besides: Unsupported for an exact node when there is no
// exact engine, and at run time for integers outside int32 that the exact engine or control flow
// hands to the fast one; FailedAssertion for an assertion in a body that runs.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace changeaware {

// `exact` may be null. info() and blob_report() are those of `fast`.
std::unique_ptr<Engine> make_mixed_engine(std::unique_ptr<Engine> fast,
                                          std::shared_ptr<Engine> exact);

}  // namespace changeaware
