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

std::vector<Rejection> join_small_classes(const Manifest& manifest,
                                          std::vector<ClassCuts>& classes) {
  std::vector<std::string> names;
  double total_us = 0;
  for (size_t i = 1; i < manifest.callables.size(); ++i) {
    names.push_back(manifest.callables[i].name);
    total_us += manifest.callables[i].costs.steady_us;
  }
  const double noticed_us = std::max(kCallUs, kShare * total_us);
  const Simulation segments(manifest, names);
  const std::vector<double> with_all = times(segments, classes, classes.size());
  std::vector<Rejection> rejections;
  std::vector<ClassCuts> kept;
  ClassCuts joined{.label = "small", .choices = {{}, {}}};
  for (size_t c = 0; c < classes.size(); ++c) {
    const std::vector<double> without = times(segments, classes, c);
    double gain_us = 0;
    for (size_t i = 0; i < without.size(); ++i)
      gain_us = std::max(gain_us, without[i] - with_all[i]);
    const ClassCuts::Choice& all = classes[c].choices.back();
    if (gain_us >= noticed_us || all.retained.empty() || classes[c].choices.size() < 2) {
      kept.push_back(classes[c]);
      continue;
    }
    joined.choices[1].bytes += all.bytes;
    joined.choices[1].retained.insert(joined.choices[1].retained.end(), all.retained.begin(),
                                      all.retained.end());
    rejections.push_back({fmt::format("{} by itself", classes[c].label),
                          fmt::format("retained only together with other small classes: {} bytes "
                                      "save {:.1f} us of {:.1f} us",
                                      all.bytes, gain_us, total_us)});
  }
  if (!rejections.empty()) kept.push_back(std::move(joined));
  classes = std::move(kept);
  return rejections;
}

}  // namespace changeaware
