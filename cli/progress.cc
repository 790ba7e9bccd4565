#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace changeaware::cli {

ProgressBar::ProgressBar() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (is_terminal_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(std::string_view stage, double fraction) {
  if (!is_terminal_) return;
  constexpr int kWidth = 30;
  const double part = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(part * kWidth);
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f}% {}", std::string(filled, '='),
             std::string(kWidth - filled, ' '), part * 100, stage);
  std::fflush(stderr);
}

}  // namespace changeaware::cli
