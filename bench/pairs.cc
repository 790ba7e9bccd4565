#include "bench/pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace changeaware::bench {

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

Times summarize(const std::vector<double>& microseconds) {
  const double sum = std::accumulate(microseconds.begin(), microseconds.end(), 0.0);
  return {quantile(microseconds, 0.5), quantile(microseconds, 0.95),
          sum / static_cast<double>(microseconds.size())};
}

PairedTimes measure_pairs(size_t pairs, size_t warm_up, const TimedRun& first,
                          const TimedRun& second) {
  std::vector<double> a, b, ratios;
  for (size_t i = 0; i < warm_up + pairs; ++i) {
    double time_a = 0;
    double time_b = 0;
    if (i % 2 == 0) {
      time_a = first();
      time_b = second();
    } else {
      time_b = second();
      time_a = first();
    }
    if (i < warm_up) continue;
    a.push_back(time_a);
    b.push_back(time_b);
    ratios.push_back(time_a / time_b);
  }
  return {summarize(a), summarize(b), quantile(ratios, 0.5), pairs};
}

std::vector<double> measure(size_t runs, size_t warm_up, const TimedRun& run) {
  std::vector<double> out;
  for (size_t i = 0; i < warm_up + runs; ++i) {
    const double time = run();
    if (i >= warm_up) out.push_back(time);
  }
  return out;
}

}  // namespace changeaware::bench
