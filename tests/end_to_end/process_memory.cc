#include "end_to_end/process_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace changeaware::testing {
namespace {

uint64_t bytes_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace

uint64_t resident_bytes() { return bytes_in("/proc/self/smaps_rollup", "Rss"); }
uint64_t peak_resident_bytes() { return bytes_in("/proc/self/status", "VmHWM"); }

void reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  EXPECT_TRUE(file.good());
}

}  // namespace changeaware::testing
