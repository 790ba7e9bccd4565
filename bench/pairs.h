// Paired measurements: two things timed in turn, so that whatever else the machine does falls on
// both; the ratio is taken within each pair and the median of the ratios is what counts.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace changeaware::bench {

struct Times {
  double p50_us = 0;
  double p95_us = 0;
  double mean_us = 0;
};

struct PairedTimes {
  Times first, second;
  double ratio = 0;  // median over pairs of first / second
  size_t pairs = 0;
};

// Of at least one value.
double quantile(std::vector<double> values, double q);
Times summarize(const std::vector<double>& microseconds);

// Each call returns the microseconds of one run; what it does outside of those is not counted.
using TimedRun = std::function<double()>;

// Times `first` and `second` `pairs` times after `warm_up` pairs that are not counted, in the order
// A B, B A, A B, …
PairedTimes measure_pairs(size_t pairs, size_t warm_up, const TimedRun& first,
                          const TimedRun& second);
std::vector<double> measure(size_t runs, size_t warm_up, const TimedRun& run);

}  // namespace changeaware::bench
