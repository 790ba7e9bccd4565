#include "bench/memory.h"

#include <fstream>
#include <stdexcept>
#include <string>

namespace changeaware::bench {
namespace {

// Of the line "KEY:   123 kB".
uint64_t bytes_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1)) * 1024;
  }
  throw std::runtime_error(std::string(path) + ": no " + key);
}

}  // namespace

uint64_t resident_bytes() { return bytes_in("/proc/self/smaps_rollup", "Rss"); }
uint64_t anonymous_bytes() { return bytes_in("/proc/self/smaps_rollup", "Anonymous"); }
uint64_t peak_resident_bytes() { return bytes_in("/proc/self/status", "VmHWM"); }

void reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  if (!file) throw std::runtime_error("/proc/self/clear_refs: the peak cannot be reset");
}

}  // namespace changeaware::bench
