#include <algorithm>
#include <array>

#include "api/handles.h"

using namespace changeaware;  // NOLINT(google-build-using-namespace)

namespace {

struct Counter {
  ca_stat which;
  uint64_t SessionStats::*field;
};

constexpr std::array kCounters = {
    Counter{CA_STAT_REQUESTS, &SessionStats::requests},
    Counter{CA_STAT_FAILED, &SessionStats::failed},
    Counter{CA_STAT_HITS, &SessionStats::hits},
    Counter{CA_STAT_MISSES, &SessionStats::misses},
    Counter{CA_STAT_EVICTIONS, &SessionStats::evictions},
    Counter{CA_STAT_RETAINED_BYTES, &SessionStats::retained_bytes},
    Counter{CA_STAT_RETAINED_BYTES_PEAK, &SessionStats::retained_bytes_peak},
    Counter{CA_STAT_RETAINED_ENTRIES, &SessionStats::retained_entries},
    Counter{CA_STAT_RESIDENT_BYTES, &SessionStats::resident_bytes},
    Counter{CA_STAT_RESIDENT_BYTES_PEAK, &SessionStats::resident_bytes_peak},
    Counter{CA_STAT_LOADS, &SessionStats::loads},
    Counter{CA_STAT_UNLOADS, &SessionStats::unloads},
    Counter{CA_STAT_BLOBS_USED, &SessionStats::blobs_used},
    Counter{CA_STAT_BLOBS_STORED, &SessionStats::blobs_stored},
    Counter{CA_STAT_PROCESS_ANONYMOUS_BYTES, &SessionStats::process_anonymous_bytes},
    Counter{CA_STAT_PROCESS_FILE_BYTES, &SessionStats::process_file_bytes},
};

using ByCallable = std::map<std::string, uint64_t>;

uint64_t count_of(const ca_stats* stats, ByCallable SessionStats::*counts, const char* callable) {
  if (stats == nullptr || callable == nullptr) return 0;
  for (const auto& [name, count] : stats->stats.*counts) {
    if (name == callable) return count;
  }
  return 0;
}

const RetainedEntry* entry_of(const ca_stats* stats, size_t index) {
  if (stats == nullptr || index >= stats->stats.retained.size()) return nullptr;
  return &stats->stats.retained[index];
}

}  // namespace

void ca_stats_free(ca_stats* stats) { delete stats; }

uint64_t ca_stats_get(const ca_stats* stats, ca_stat which) {
  if (stats == nullptr) return 0;
  const auto* const counter = std::find_if(kCounters.begin(), kCounters.end(),
                                           [&](const Counter& c) { return c.which == which; });
  return counter == kCounters.end() ? 0 : stats->stats.*(counter->field);
}

uint64_t ca_stats_runs(const ca_stats* stats, const char* callable) {
  return count_of(stats, &SessionStats::runs, callable);
}

uint64_t ca_stats_callable_resident_bytes(const ca_stats* stats, const char* callable) {
  return count_of(stats, &SessionStats::resident, callable);
}

const ca_strings* ca_stats_blobs_ignored(const ca_stats* stats) {
  return stats == nullptr ? nullptr : &stats->blobs_ignored;
}

size_t ca_stats_retained_count(const ca_stats* stats) {
  return stats == nullptr ? 0 : stats->stats.retained.size();
}

const char* ca_stats_retained_callable(const ca_stats* stats, size_t index) {
  const RetainedEntry* entry = entry_of(stats, index);
  return entry == nullptr ? nullptr : entry->callable.c_str();
}

uint64_t ca_stats_retained_bytes(const ca_stats* stats, size_t index) {
  const RetainedEntry* entry = entry_of(stats, index);
  return entry == nullptr ? 0 : entry->bytes;
}

uint64_t ca_stats_retained_uses(const ca_stats* stats, size_t index) {
  const RetainedEntry* entry = entry_of(stats, index);
  return entry == nullptr ? 0 : entry->uses;
}
