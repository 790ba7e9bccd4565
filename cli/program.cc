#include "cli/program.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "changeaware/status.h"
#include "cli/commands.h"
#include "cli/error.h"

namespace changeaware::cli {
namespace {

struct Command {
  std::string_view name;
  Result<int> (*run)(int argc, char** argv);
  std::string_view summary;
};

constexpr Command kCommands[] = {
    {"compile", compile_command, "turn an exported program (.pt2) into a package"},
    {"inspect", inspect_command, "show what a package holds and what runs when an input changes"},
    {"verify", verify_command, "execute every strategy of a package and compare"},
    {"run", run_command, "answer one request and write its outputs as .npy files"},
    {"replay", replay_command, "answer the requests of a trace, running only what changed"},
    {"explain", explain_command, "say for each request of a trace what ran, what did not, and why"},
    {"doctor", doctor_command, "show versions, processor, engines and what is missing"},
};

std::string usage() {
  std::string text = "usage: changeaware COMMAND [OPTION]…\n\ncommands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<9}{}\n", command.name, command.summary);
  }
  return text + "\n`changeaware COMMAND --help` lists a command's options.\n";
}

Result<int> dispatch(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", usage());
    return 0;
  }
  if (name == "--version") {
    fmt::print("changeaware {}\n", CHANGEAWARE_VERSION);
    return 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  if (name == "export-coreai") {
    return error(
        StatusCode::kUnsupported,
        "export-coreai is part of the Python package: pip install changeaware[coreai], then "
        "python -m changeaware export-coreai");
  }
  fmt::print(stderr, "{}", usage());
  if (name.empty()) return error(StatusCode::kInvalidArgument, "no command given");
  return error(StatusCode::kInvalidArgument, "no command '{}'", name);
}

Result<int> dispatch_and_flush(int argc, char** argv) {
  CA_ASSIGN_OR_RETURN(const int code, dispatch(argc, argv));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return error(StatusCode::kIo, "cannot write to standard output");
  }
  return code;
}

}  // namespace

int run_program(int argc, char** argv) {
  const Result<int> result = [&]() -> Result<int> {
    try {
      return dispatch_and_flush(argc, argv);
    } catch (const std::exception& e) {  // out of memory, a closed stream
      return Status(StatusCode::kInternal, e.what());
    }
  }();
  if (result.ok()) return *result;
  fmt::print(stderr, "error: {}\n", result.status().to_string());
  return 1;
}

}  // namespace changeaware::cli
