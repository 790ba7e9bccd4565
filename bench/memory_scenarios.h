// What is measured of memory, starts and clients: one scenario a process, so that what one of them
// touched is not counted for the next.
#pragma once

#include <string>

#include "bench/facts.h"
#include "bench/workload.h"

namespace changeaware::bench {

struct MemoryWork {
  int threads = 2;
  ModelWork subject;  // its first trace is what it is asked
  // A small one, run once before the baseline is taken: the engine's own pages are there once per
  // process, whatever is opened.
  ModelWork small;
  std::string cache_folder;  // compiled blobs: of ours, or of the peer's
  uint64_t number = 0;       // what it means is said below
  std::string want;          // the output that a start is to give
};

// All throw std::runtime_error when a call fails.

// The process's peak over the trace.
Facts measure_trace(const MemoryWork& work);
// `number` sessions on one package, one after another, each asked the whole trace.
Facts measure_sessions(const MemoryWork& work);
// The trace under a budget of `number` resident bytes; the answers are compared with full runs.
Facts measure_resident_budget(const MemoryWork& work);
// `number` rounds of opening, asking the trace, and closing.
Facts measure_rounds(const MemoryWork& work);
// From nothing to the first answer, for `want` alone.
Facts measure_start(const MemoryWork& work);
// OpenVINO's, of everything. `number`: 1 = the model is read, 0 = OpenVINO is given the file.
Facts measure_peer_start(const MemoryWork& work);
// `number` clients at once against one, all on one session. The first input of the trace that
// changes is theirs, in every request another value; everything else stays.
Facts measure_clients(const MemoryWork& work);

}  // namespace changeaware::bench
