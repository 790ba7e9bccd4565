// Memory of this process as the operating system counts it.
// Throws std::runtime_error where the system does not say.
#pragma once

#include <cstdint>

namespace changeaware::bench {

uint64_t resident_bytes();   // Rss of /proc/self/smaps_rollup
uint64_t anonymous_bytes();  // Anonymous of it: not backed by a file
// The most that was resident since the process began, or since the last reset.
uint64_t peak_resident_bytes();  // VmHWM of /proc/self/status
// Source: proc_pid_clear_refs(5), value 5.
void reset_peak();

}  // namespace changeaware::bench
