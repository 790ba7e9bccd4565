#include "runtime/retention.h"

#include <algorithm>
#include <utility>

namespace changeaware {
namespace {

bool is_kept(const RegionInfo& info, size_t output, const std::vector<bool>& retains) {
  return info.is_whole ? info.output_is_result[output] : retains[info.first_output + output];
}

size_t kept_bytes(const RequestState& state, size_t r, const std::vector<bool>& retains) {
  const RegionInfo& info = state.topology->regions[r];
  size_t sum = 0;
  for (size_t i = 0; i < info.output_ports.size(); ++i) {
    if (is_kept(info, i, retains)) sum += state.regions[r].outputs[i].size_bytes();
  }
  return sum;
}

// A region that decides assertions leaves an entry even without outputs: that they held.
bool leaves_entry(const RegionInfo& info, const std::vector<bool>& retains) {
  if (!info.assertions.empty()) return true;
  for (size_t i = 0; i < info.output_ports.size(); ++i) {
    if (is_kept(info, i, retains)) return true;
  }
  return false;
}

}  // namespace

std::vector<size_t> retention_order(RequestState& state, const std::vector<bool>& retains) {
  std::vector<size_t> order;
  std::vector<size_t> bytes(state.regions.size());
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const Decision::Outcome outcome = state.plan.steps[r].outcome;
    if (outcome == Decision::Outcome::kReused) state.regions[r].retained = true;
    if (outcome != Decision::Outcome::kRan) continue;
    if (!leaves_entry(state.topology->regions[r], retains)) {
      state.regions[r].not_retained_why = "the strategy retains nothing of it";
      continue;
    }
    bytes[r] = kept_bytes(state, r, retains);
    order.push_back(r);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto rank = [&](size_t r) { return state.topology->regions[r].is_whole; };
    return std::pair(rank(a), bytes[b]) < std::pair(rank(b), bytes[a]);
  });
  return order;
}

RetainedCache::Candidate retention_candidate(const RequestState& state, size_t r,
                                             const std::vector<bool>& retains) {
  const RegionInfo& info = state.topology->regions[r];
  const RegionState& region = state.regions[r];
  RetainedCache::Candidate candidate;
  candidate.key = region.key;
  candidate.only_exact_repeat = info.is_whole;
  candidate.outputs.resize(info.output_ports.size());
  for (size_t i = 0; i < candidate.outputs.size(); ++i) {
    if (is_kept(info, i, retains)) candidate.outputs[i] = region.outputs[i];
  }
  candidate.prints = region.prints;
  return candidate;
}

}  // namespace changeaware
