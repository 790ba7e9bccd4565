// What the operating system says this process has in memory.
//
// Thread safety: may be called concurrently. Costs some microseconds, however much is mapped: the
// kernel's own counters are read, which may lag by some pages per processor and thread.
// Source: proc_pid_statm(5), proc_pid_status(5).
#pragma once

#include <cstdint>

#include "changeaware/status.h"

namespace changeaware {

struct ProcessMemory {
  uint64_t anonymous_bytes = 0;    // heap, stacks, private copies: what a budget can bring back
  uint64_t file_backed_bytes = 0;  // pages of mapped files, clean: libraries and weights
  uint64_t resident_bytes() const { return anonymous_bytes + file_backed_bytes; }
};

// Io where the system has no such report.
Result<ProcessMemory> process_memory();

// The most that was resident at once since the process began.
Result<uint64_t> peak_resident_bytes();

}  // namespace changeaware
