// ExternalEngine: runs the callables of a package somewhere else, in an asset that was made from
// it, while the session keeps what it does: versions, plans, retained tensors, budgets.
#pragma once

#include <memory>
#include <span>

#include "changeaware/export_macro.h"
#include "changeaware/package.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {

// One callable made ready. Destroying it releases what it holds.
// Thread safety: run() may be called concurrently.
class CHANGEAWARE_API ExternalExecutable {
 public:
  virtual ~ExternalExecutable() = default;
  // `inputs`: Callable::inputs, in order, contiguous, valid until the call returns. `outputs`:
  // Callable::outputs, in order, to be set to tensors in memory of their own, which nobody writes
  // into afterwards but whoever gets the session's answer. Equal inputs must give equal bits: the
  // session takes what is retained for it.
  virtual Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const = 0;
};

// Thread safety: load() may be called concurrently. Must outlive the sessions that use it.
class CHANGEAWARE_API ExternalEngine {
 public:
  virtual ~ExternalEngine() = default;
  // Called on first use, and again after the callable was released to make room.
  virtual Result<std::unique_ptr<ExternalExecutable>> load(const Callable& callable) const = 0;
};

}  // namespace changeaware
