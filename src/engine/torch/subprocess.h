// Running another program and reading what it says.
#pragma once

#include <string>
#include <vector>

namespace changeaware::torch {

struct CommandResult {
  int code = -1;       // exit code; -1 when it could not be started or was killed
  std::string output;  // standard output and standard error, mixed
};

// No shell: `words[0]` is looked up in $PATH, standard input is empty.
CommandResult run_command(const std::vector<std::string>& words);

}  // namespace changeaware::torch
