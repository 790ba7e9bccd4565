#include "regions/cut_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "regions/cut_network.h"

namespace changeaware {
namespace {

// Drops inner cuts that save too little time over the next thinner one.
void drop_short_slices(const CutHull& hull, double min_us, CutChoice& choice) {
  size_t thinner = 0;
  for (size_t i = 1; i + 1 < hull.cuts.size(); ++i) {
    const double saved = hull.microseconds(hull.cuts[thinner].ticks - hull.cuts[i].ticks);
    if (saved >= min_us) {
      thinner = i;
      continue;
    }
    choice.reasons[i] =
        fmt::format("saves {:.1f} us over the next thinner cut, less than the {:.0f} us of a call",
                    saved, min_us);
  }
}

// Drops inner cuts that save too few bytes against the next thicker one.
void drop_small_savings(const CutHull& hull, const CutOptions& options, CutChoice& choice) {
  size_t thicker = hull.cuts.size() - 1;
  for (size_t i = hull.cuts.size() - 1; i-- > 1;) {
    if (!choice.reasons[i].empty()) continue;
    const uint64_t saved = hull.cuts[thicker].bytes - hull.cuts[i].bytes;
    const double share = static_cast<double>(saved) / static_cast<double>(hull.cuts[thicker].bytes);
    if (saved < options.min_saved_bytes) {
      choice.reasons[i] = fmt::format("saves {} bytes against the next thicker cut, fewer than {}",
                                      saved, options.min_saved_bytes);
    } else if (share < options.min_saved_share) {
      choice.reasons[i] = fmt::format(
          "saves {} bytes against the next thicker cut, {:.1f} % of them", saved, 100 * share);
    } else {
      thicker = i;
    }
  }
}

// Twice the area between the chord from `a` to `c` and the path over `b`.
Capacity area(const HullCut& a, const HullCut& b, const HullCut& c) {
  const auto bytes = [&](const HullCut& cut) { return static_cast<Capacity>(cut.bytes) - a.bytes; };
  const auto ticks = [&](const HullCut& cut) { return static_cast<Capacity>(a.ticks) - cut.ticks; };
  return ticks(b) * bytes(c) - ticks(c) * bytes(b);
}

// The candidate that lowers the curve through the kept cuts most; of equals the thinnest.
size_t most_useful(const CutHull& hull, const std::vector<size_t>& candidates,
                   const std::vector<size_t>& kept) {
  size_t best = candidates.front();
  Capacity best_area = -1;
  for (size_t i : candidates) {
    const auto right = std::upper_bound(kept.begin(), kept.end(), i);
    const Capacity gain = area(hull.cuts[*(right - 1)], hull.cuts[i], hull.cuts[*right]);
    if (gain <= best_area) continue;
    best_area = gain;
    best = i;
  }
  return best;
}

}  // namespace

CutChoice choose_cuts(const CutHull& hull, const CutOptions& options) {
  CutChoice choice;
  choice.reasons.resize(hull.cuts.size());
  drop_short_slices(hull, options.min_slice_us, choice);
  drop_small_savings(hull, options, choice);
  std::vector<size_t> candidates;
  for (size_t i = 1; i + 1 < hull.cuts.size(); ++i) {
    if (choice.reasons[i].empty()) candidates.push_back(i);
  }
  choice.kept = {0, hull.cuts.size() - 1};
  while (!candidates.empty() && choice.kept.size() <= options.max_cuts) {
    const size_t best = most_useful(hull, candidates, choice.kept);
    choice.kept.insert(std::upper_bound(choice.kept.begin(), choice.kept.end(), best), best);
    std::erase(candidates, best);
  }
  for (size_t i : candidates) {
    choice.reasons[i] =
        fmt::format("others of the {} cuts kept per class trade better", options.max_cuts);
  }
  return choice;
}

}  // namespace changeaware
