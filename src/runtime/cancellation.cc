#include "runtime/cancellation.h"

#include "base/errors.h"

namespace changeaware {

Status Cancellation::status() const {
  if (stop.stop_requested()) return cancelled("the caller asked to stop");
  if (deadline && Clock::now() >= *deadline) return cancelled("the deadline has passed");
  return {};
}

}  // namespace changeaware
