#include "strategy/small_classes.h"

#include <algorithm>

#include <fmt/format.h>

#include "strategy/simulation.h"

namespace changeaware {
namespace {

constexpr double kCallUs = 20;
constexpr double kShare = 0.01;

// Times by change and result, when class `without` retains nothing and the others all they can.
std::vector<double> times(const Simulation& segments, const std::vector<ClassCuts>& classes,
                          size_t without) {
  std::vector<std::string> retained;
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto& all = classes[c].choices.back().retained;
    if (c != without) retained.insert(retained.end(), all.begin(), all.end());
  }
  return segments.profile(retained, 0).steady_us;
}

}  // namespace

std::vector<Rejection> settle_small_classes(const Manifest& manifest,
                                            std::vector<ClassCuts>& classes) {
  std::vector<Rejection> rejections;
  std::vector<std::string> names;
  double total_us = 0;
  for (size_t i = 1; i < manifest.callables.size(); ++i) {
    names.push_back(manifest.callables[i].name);
    total_us += manifest.callables[i].costs.steady_us;
  }
  const double noticed_us = std::max(kCallUs, kShare * total_us);
  const Simulation segments(manifest, names);
  const std::vector<double> with_all = times(segments, classes, classes.size());
  for (size_t c = 0; c < classes.size(); ++c) {
    std::vector<ClassCuts::Choice>& choices = classes[c].choices;
    const uint64_t bytes = choices.back().bytes;
    if (choices.size() < 2 || !choices.front().retained.empty() || bytes > kSmallBytes) continue;
    const std::vector<double> without = times(segments, classes, c);
    double gain_us = 0;
    for (size_t i = 0; i < without.size(); ++i)
      gain_us = std::max(gain_us, without[i] - with_all[i]);
    if (gain_us >= noticed_us) continue;
    choices.erase(choices.begin(), choices.end() - 1);
    rejections.push_back(
        {fmt::format("{} at 0 bytes", classes[c].label),
         fmt::format("too little to choose about: {} bytes save {:.1f} us of {:.1f} us", bytes,
                     gain_us, total_us)});
  }
  return rejections;
}

}  // namespace changeaware
