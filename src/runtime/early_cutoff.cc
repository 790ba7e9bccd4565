#include "runtime/early_cutoff.h"

#include <algorithm>

#include "runtime/keys.h"

namespace changeaware {
namespace {

// Bytes that may be hashed to spare a region of that time: a twentieth of it at 10 GB/s, and what
// costs less than any call.
double affordable_bytes(double region_us) {
  constexpr double kBytesPerMicrosecond = 10e3;
  constexpr double kShare = 0.05;
  constexpr double kAlways = 4096;
  return std::max(kAlways, kShare * region_us * kBytesPerMicrosecond);
}

// What another request has found out about a retained region.
void recall_prints(RequestState& state, const RegionInfo& region, RetainedCache& cache) {
  for (const Source& source : region.inputs) {
    if (source.is_input) continue;
    RegionState& producer = state.regions[source.region];
    if (producer.prints.empty() && producer.pin) producer.prints = cache.prints(producer.pin);
    producer.prints.resize(producer.outputs.size());
  }
}

}  // namespace

bool may_cut_off(const RequestState& state, size_t r) {
  const RegionInfo& region = state.topology->regions[r];
  return std::any_of(region.inputs.begin(), region.inputs.end(), [&](const Source& source) {
    if (source.is_input) return false;
    const PlanStep& step = state.plan.steps[source.region];
    return step.outcome == Decision::Outcome::kRan || step.cause != Decision::Cause::kRetained;
  });
}

std::optional<RetainedCache::Key> take_contents_key(RequestState& state, size_t r, double region_us,
                                                    const Fingerprinter& fingerprinter,
                                                    RetainedCache& cache) {
  const RegionInfo& region = state.topology->regions[r];
  recall_prints(state, region, cache);
  const auto is_missing = [&](const Source& source) {
    return !source.is_input && state.regions[source.region].prints[source.index].empty();
  };
  double bytes = 0;
  for (const Source& source : region.inputs) {
    if (!is_missing(source)) continue;
    bytes += static_cast<double>(state.regions[source.region].outputs[source.index].size_bytes());
  }
  if (bytes > affordable_bytes(region_us)) return std::nullopt;
  for (const Source& source : region.inputs) {
    if (!is_missing(source)) continue;
    RegionState& producer = state.regions[source.region];
    producer.prints[source.index] = fingerprinter.print(producer.outputs[source.index]);
    if (producer.pin) cache.set_prints(producer.pin, producer.prints);
  }
  return contents_key(state, r);
}

}  // namespace changeaware
