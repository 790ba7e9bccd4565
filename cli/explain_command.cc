#include <fmt/format.h>

#include <cstdio>

#include "changeaware/session.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/explain_report.h"
#include "cli/replayer.h"
#include "cli/trace.h"

namespace changeaware::cli {
namespace {

struct Arguments {
  std::string package;
  std::string trace;
  ReplayOptions replay;
  SessionOptions session;
  bool as_json = false;
};

Result<int> explain(const Arguments& arguments) {
  CA_ASSIGN_OR_RETURN(const auto trace, read_trace(arguments.trace));
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(arguments.package));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, arguments.session));
  Replayer replayer(*session, arguments.replay, nullptr);
  for (size_t i = 0; i < trace.size(); ++i) {
    const ReplayResult result = replayer.run(i, trace[i]);
    fmt::print("{}\n", arguments.as_json ? explain_json(result) : explain_text(result));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

Result<int> explain_command(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Answers the requests of a trace and says for each callable what happened and why.",
               "changeaware explain");
  app.add_option("PACKAGE", arguments.package, "a package written by `changeaware compile`")
      ->required();
  app.add_option("TRACE", arguments.trace, "JSON: {\"requests\": [{\"inputs\": {NAME: FILE.npy}}]}")
      ->required();
  add_session_options(app, arguments.session);
  app.add_option("--strategy", arguments.replay.strategy, "force a strategy by name");
  app.add_flag("--json", arguments.as_json, "print one JSON line per request");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;
  return explain(arguments);
}

}  // namespace changeaware::cli
