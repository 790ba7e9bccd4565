// memory_bench SCENARIO WORKLOAD.json CACHE_FOLDER NUMBER [WANT]
//
// Measures one scenario of bench/memory_scenarios.h in this process and prints one JSON object. The
// first model of the workload is the subject, the second the small one. bench/memory_rows.py asks.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <string_view>

#include "bench/memory_scenarios.h"

namespace {

using namespace changeaware::bench;
using Measure = Facts (*)(const MemoryWork&);

const std::map<std::string_view, Measure> kScenarios = {
    {"trace", measure_trace},
    {"sessions", measure_sessions},
    {"budget", measure_resident_budget},
    {"rounds", measure_rounds},
    {"start", measure_start},
    {"peer_start", measure_peer_start},
    {"clients", measure_clients},
};

bool parse(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  MemoryWork work;
  const auto scenario = argc > 1 ? kScenarios.find(argv[1]) : kScenarios.end();
  if (argc < 5 || argc > 6 || scenario == kScenarios.end() || !parse(argv[4], work.number)) {
    fmt::print(stderr, "usage: memory_bench SCENARIO WORKLOAD.json CACHE_FOLDER NUMBER [WANT]\n");
    return 2;
  }
  try {
    const Workload workload = read_workload(argv[2]);
    work.threads = workload.threads;
    work.subject = workload.models.at(0);
    work.small = workload.models.at(1);
    work.cache_folder = argv[3];
    if (argc > 5) work.want = argv[5];
    fmt::print("{}\n", scenario->second(work).to_json());
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "memory_bench: {}\n", e.what());
    return 1;
  }
}
