#include "cli/process_memory.h"

#include <fstream>
#include <sstream>
#include <string>

namespace changeaware::cli {

ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t kib = 0;
    if (!(words >> name >> kib)) continue;
    if (name == "VmRSS:") memory.rss_bytes = kib * 1024;
    if (name == "VmHWM:") memory.peak_rss_bytes = kib * 1024;
  }
  return memory;
}

}  // namespace changeaware::cli
