// The program `changeaware COMMAND …`, also for those who bring a main() of their own.
#pragma once

namespace changeaware::cli {

// Finds the command in a table, runs it, prints its error; returns the process's exit code. argv[0]
// is the program's name. Never throws. Thread safety: one call at a time, it prints.
int run_program(int argc, char** argv);

}  // namespace changeaware::cli
