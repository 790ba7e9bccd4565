// Time since a point, for reports.
#pragma once

#include <chrono>

namespace changeaware {

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

}  // namespace changeaware
