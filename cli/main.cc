#include "cli/program.h"

int main(int argc, char** argv) { return changeaware::cli::run_program(argc, argv); }
