// Memory of the test's process as the operating system counts it.
#pragma once

#include <cstdint>

namespace changeaware::testing {

// Sanitizers keep memory of their own, beside ours and in place of what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsOurs = false;
#else
inline constexpr bool kMemoryIsOurs = true;
#endif

// Rss of /proc/self/smaps_rollup; 0 where the system does not say.
uint64_t resident_bytes();
// The most since the last reset, VmHWM of /proc/self/status; 0 where the system does not say.
uint64_t peak_resident_bytes();
// Source: proc_pid_clear_refs(5), value 5. Expects success.
void reset_peak();

}  // namespace changeaware::testing
