#include "changeaware/doctor.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "changeaware/package.h"
#include "engine/openvino/openvino_engine.h"
#include "engine/torch/torch_engine.h"

namespace changeaware {
namespace {

// Features that engines use, as /proc/cpuinfo spells them on x86 ("flags") and Arm ("Features").
struct Feature {
  std::string_view flag;
  std::string_view name;
};
constexpr Feature kFeatures[] = {
    {"avx2", "AVX2"},
    {"fma", "FMA"},
    {"f16c", "F16C"},
    {"avx_vnni", "AVX-VNNI"},
    {"avx512f", "AVX-512"},
    {"avx512_vnni", "AVX-512 VNNI"},
    {"avx512_bf16", "AVX-512 BF16"},
    {"avx512_fp16", "AVX-512 FP16"},
    {"amx_tile", "AMX"},
    {"amx_bf16", "AMX BF16"},
    {"amx_int8", "AMX INT8"},
    {"asimd", "NEON"},
    {"asimdhp", "NEON FP16"},
    {"asimddp", "NEON dot product"},
    {"sve", "SVE"},
    {"i8mm", "I8MM"},
    {"bf16", "BF16"},
};

struct Cpu {
  std::string model;
  std::set<std::string> flags;
  std::set<std::pair<std::string, std::string>> cores;  // (package, core)
  int threads = 0;
};

// Lines are "key<tab>: value", one block of them per hardware thread.
Cpu read_cpu() {
  Cpu cpu;
  std::string package;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::string value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    if (key == "processor") ++cpu.threads;
    if (key == "model name" || key == "Model") cpu.model = value;
    if (key == "physical id") package = value;
    if (key == "core id") cpu.cores.emplace(package, value);
    if (key == "flags" || key == "Features") {
      std::istringstream words(value);
      for (std::string flag; words >> flag;) cpu.flags.insert(flag);
    }
  }
  return cpu;
}

int count_usable_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN)));
}

void add_processor(SystemReport& report) {
  const Cpu cpu = read_cpu();
  report.cpu_model = cpu.model;
  for (const Feature& feature : kFeatures) {
    if (cpu.flags.contains(std::string(feature.flag))) {
      report.cpu_features.emplace_back(feature.name);
    }
  }
  report.threads = cpu.threads;
  report.cores = cpu.cores.empty() ? cpu.threads : static_cast<int>(cpu.cores.size());
  report.usable_threads = count_usable_threads();
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    report.memory_bytes = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
  }
}

void add_engines(SystemReport& report) {
  SystemPart part{"openvino", "", false, ""};
  const auto engine = make_openvino_engine({});
  if (engine.ok()) {
    part.version = (*engine)->info().version;
    part.present = true;
    part.note = "runs every package, in float32 on the CPU";
  } else {
    part.note = engine.status().message();
    report.missing.push_back("the OpenVINO engine does not start (" + part.note +
                             "); `make setup` installs it");
  }
  report.engines.push_back(std::move(part));
}

// Starting it shows what looking does not: a plug-in that is broken or of another version.
void add_exact_engine(SystemReport& report, const ExactEngineOptions& options) {
  const ExactEngineReport found = find_exact_engine(options);
  SystemPart part{"torch", found.torch_version, false, found.problem};
  if (found.problem.empty()) {
    const auto engine = make_torch_engine(0, options);
    part.present = engine.ok();
    part.note = engine.ok() ? "the exact engine: PyTorch in " + found.torch_folder + ", plug-in " +
                                  found.plugin
                            : engine.status().message();
  }
  report.optional_parts.push_back(std::move(part));
}

uint64_t bytes_below(const std::string& folder) {
  namespace fs = std::filesystem;
  uint64_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    std::error_code gone;
    if (!it->is_regular_file(gone)) continue;
    const uintmax_t size = it->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace

SystemReport inspect_system(const ExactEngineOptions& exact_engine) {
  SystemReport report;
  report.version = CHANGEAWARE_VERSION;
  const Manifest newest;
  report.package_format =
      std::to_string(newest.format_major) + "." + std::to_string(newest.format_minor);
  add_processor(report);
  add_engines(report);
  add_exact_engine(report, exact_engine);
  report.cache_folder = default_blob_folder();
  if (!report.cache_folder.empty()) report.cache_bytes = bytes_below(report.cache_folder);
  return report;
}

}  // namespace changeaware
