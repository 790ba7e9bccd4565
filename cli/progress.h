// A progress bar on standard error, drawn only when that is a terminal.
#pragma once

#include <string_view>

namespace changeaware::cli {

class ProgressBar {
 public:
  ProgressBar();
  // Wipes the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `fraction` in [0, 1].
  void show(std::string_view stage, double fraction);

 private:
  bool is_terminal_;
};

}  // namespace changeaware::cli
