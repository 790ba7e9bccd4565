// Memory of this process as the operating system counts it.
#pragma once

#include <cstdint>

namespace changeaware::cli {

struct ProcessMemory {
  uint64_t rss_bytes = 0;       // VmRSS
  uint64_t peak_rss_bytes = 0;  // VmHWM
};

// Zeros where the system does not say.
ProcessMemory process_memory();

}  // namespace changeaware::cli
