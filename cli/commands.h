// The commands of `changeaware`, one per file.
//
// Each gets its own arguments (argv[0] is the command's name) and returns the process's exit code,
// or the error that main() prints. Results go to standard output, everything else to standard
// error.
#pragma once

#include "changeaware/status.h"

namespace changeaware::cli {

Result<int> compile_command(int argc, char** argv);
Result<int> inspect_command(int argc, char** argv);
Result<int> verify_command(int argc, char** argv);
Result<int> run_command(int argc, char** argv);
Result<int> replay_command(int argc, char** argv);
Result<int> explain_command(int argc, char** argv);
Result<int> doctor_command(int argc, char** argv);

}  // namespace changeaware::cli
