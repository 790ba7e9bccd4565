#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "changeaware/session.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/explain_page.h"
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
  std::string page;
  bool as_json = false;
};

Status write_page(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? Status() : error(StatusCode::kIo, "{}: cannot be written", path);
}

Result<int> explain(const Arguments& arguments) {
  CA_ASSIGN_OR_RETURN(const auto trace, read_trace(arguments.trace));
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(arguments.package));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, arguments.session));
  CA_RETURN_IF_ERROR(session->load());
  Replayer replayer(*session, arguments.replay, nullptr);
  std::vector<ReplayResult> results;
  for (size_t i = 0; i < trace.size(); ++i) {
    results.push_back(replayer.run(i, trace[i]));
    const ReplayResult& result = results.back();
    fmt::print("{}\n", arguments.as_json ? explain_json(result) : explain_text(result));
    std::fflush(stdout);
  }
  if (arguments.page.empty()) return 0;
  CA_RETURN_IF_ERROR(write_page(
      arguments.page, explain_page(std::filesystem::path(arguments.package).filename().string(),
                                   package->manifest(), results)));
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
  app.add_option("--html", arguments.page, "write the same as a page to this file");
  app.add_flag("--json", arguments.as_json, "print one JSON line per request");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;
  return explain(arguments);
}

}  // namespace changeaware::cli
