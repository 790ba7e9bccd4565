#include "strategy/pareto.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace changeaware {
namespace {

using Kind = Domination::Kind;
using Dominations = std::vector<std::optional<Domination>>;

bool runs_no_more(const Profile& a, const Profile& b) {
  return std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
                    [](const auto& x, const auto& y) { return x.is_subset_of(y); });
}

bool is_same(const Profile& a, const Profile& b) {
  return a.is_monolithic == b.is_monolithic && a.retained_bytes == b.retained_bytes &&
         a.runs == b.runs;
}

// Marks what another profile beats that is still there when the pass begins. `beats` is transitive
// and no profile beats itself, so following it ends at one that stays.
void mark(size_t count, Dominations& out,
          const std::function<std::optional<Kind>(size_t by, size_t of)>& beats) {
  const Dominations before = out;
  for (size_t of = 0; of < count; ++of) {
    for (size_t by = 0; by < count && !before[of] && !out[of]; ++by) {
      if (by == of || before[by]) continue;
      if (const auto kind = beats(by, of)) out[of] = Domination{*kind, by};
    }
  }
  for (size_t of = 0; of < count; ++of) {
    while (out[of] && out[out[of]->by]) {
      const Domination next = *out[out[of]->by];
      out[of] = Domination{std::max(out[of]->kind, next.kind), next.by};
    }
  }
}

// Of those left that run segments the one with the least times, then bytes; nothing without any.
std::optional<size_t> fastest_of_segments(const std::vector<Profile>& profiles,
                                          const Dominations& dominated) {
  std::optional<size_t> best;
  const auto key = [&](size_t i) {
    const auto& us = profiles[i].steady_us;
    return std::pair(std::accumulate(us.begin(), us.end(), 0.0), profiles[i].retained_bytes);
  };
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].is_monolithic || dominated[i]) continue;
    if (!best || key(i) < key(*best)) best = i;
  }
  return best;
}

}  // namespace

bool pareto_dominates(const Profile& a, const Profile& b) {
  return a.is_monolithic == b.is_monolithic && a.retained_bytes <= b.retained_bytes &&
         runs_no_more(a, b) && !is_same(a, b);
}

bool is_no_slower(const Profile& a, const Profile& b) {
  return a.retained_bytes <= b.retained_bytes &&
         std::equal(a.steady_us.begin(), a.steady_us.end(), b.steady_us.begin(), b.steady_us.end(),
                    std::less_equal<>());
}

Dominations find_dominated(const std::vector<Profile>& profiles) {
  Dominations out(profiles.size());
  mark(profiles.size(), out, [&](size_t by, size_t of) -> std::optional<Kind> {
    if (pareto_dominates(profiles[by], profiles[of])) return Kind::kRuns;
    if (by < of && is_same(profiles[by], profiles[of])) return Kind::kSame;
    return std::nullopt;
  });
  const std::optional<size_t> fastest = fastest_of_segments(profiles, out);
  mark(profiles.size(), out, [&](size_t by, size_t of) -> std::optional<Kind> {
    const Profile& a = profiles[by];
    const Profile& b = profiles[of];
    if (b.is_monolithic || !is_no_slower(a, b)) return std::nullopt;
    if (a.is_monolithic && of == fastest) return std::nullopt;
    // Of several that are equal the first stays; `monolithic` stays in any case.
    if (by > of && !a.is_monolithic && is_no_slower(b, a)) return std::nullopt;
    return Kind::kTimes;
  });
  return out;
}

}  // namespace changeaware
