#include "base/process_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "base/errors.h"

namespace changeaware {
namespace {

// The bytes in a line "Name:   123 kB" of the report.
std::optional<uint64_t> bytes_in(const std::string& report, const std::string& name) {
  size_t at = report.find("\n" + name + ":");
  if (at == std::string::npos) return std::nullopt;
  at = report.find_first_of("0123456789", at + name.size() + 2);
  if (at == std::string::npos) return std::nullopt;
  uint64_t kilobytes = 0;
  for (; at < report.size() && report[at] >= '0' && report[at] <= '9'; ++at) {
    kilobytes = kilobytes * 10 + static_cast<uint64_t>(report[at] - '0');
  }
  return kilobytes * 1024;
}

std::string read_report(const char* path) {
  std::ifstream file(path);
  return "\n" + std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Result<ProcessMemory> process_memory() {
  // Pages: of the address space, resident, of these backed by files or shared.
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  uint64_t backed = 0;
  if (!(file >> all >> resident >> backed)) return io_error("/proc/self/statm: not readable");
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  backed = std::min(backed, resident);
  return ProcessMemory{(resident - backed) * page, backed * page};
}

Result<uint64_t> peak_resident_bytes() {
  const auto peak = bytes_in(read_report("/proc/self/status"), "VmHWM");
  if (!peak) return io_error("/proc/self/status: no VmHWM");
  return *peak;
}

}  // namespace changeaware
