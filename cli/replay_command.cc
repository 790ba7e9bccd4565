#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "changeaware/session.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process_memory.h"
#include "cli/replay_report.h"
#include "cli/replayer.h"
#include "cli/trace.h"

namespace changeaware::cli {
namespace {

struct Arguments {
  std::string package;
  std::string trace;
  ReplayOptions replay;
  SessionOptions session;
  bool check = false;
  bool as_json = false;
};

// One line, at once, so that a reader of a pipe sees each request when it is answered.
void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

ReplayTally replay_all(const Arguments& arguments, const std::vector<TraceRequest>& trace,
                       Replayer& replayer) {
  ReplayTally tally;
  if (!arguments.as_json) print_line(replay_text_heading());
  for (size_t i = 0; i < trace.size(); ++i) {
    const ReplayResult result = replayer.run(i, trace[i]);
    tally.add(result);
    print_line(arguments.as_json ? replay_json(result) : replay_text(result));
  }
  return tally;
}

// Loads what the session would load by itself, so that the first request is not charged for it.
Result<double> load_timed(Session& session, const Arguments& arguments) {
  if (!arguments.replay.strategy.empty()) return 0.0;
  const auto begin = std::chrono::steady_clock::now();
  CA_RETURN_IF_ERROR(session.load());
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

Result<int> replay(const Arguments& arguments) {
  CA_ASSIGN_OR_RETURN(const auto trace, read_trace(arguments.trace));
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(arguments.package));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, arguments.session));
  std::unique_ptr<Session> reference;
  if (arguments.check) {
    CA_ASSIGN_OR_RETURN(reference, Session::create(package, arguments.session));
  }
  CA_ASSIGN_OR_RETURN(const double load_us, load_timed(*session, arguments));

  Replayer replayer(*session, arguments.replay, reference.get());
  const ReplayTally tally = replay_all(arguments, trace, replayer);

  ReplaySummary summary = tally.summary();
  const ProcessMemory memory = process_memory();
  summary.peak_rss_bytes = memory.peak_rss_bytes;
  summary.rss_bytes = memory.rss_bytes;
  summary.load_us = load_us;
  summary.stats = session->stats();
  print_line(arguments.as_json ? replay_json(summary) : replay_text(summary));
  return summary.equal.value_or(true) ? 0 : 1;
}

}  // namespace

Result<int> replay_command(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Answers the requests of a trace, one after another.", "changeaware replay");
  app.add_option("PACKAGE", arguments.package, "a package written by `changeaware compile`")
      ->required();
  app.add_option("TRACE", arguments.trace, "JSON: {\"requests\": [{\"inputs\": {NAME: FILE.npy}}]}")
      ->required();
  app.add_flag("--full", arguments.replay.full, "run everything each time, reuse nothing");
  app.add_flag("--check", arguments.check, "compare each answer bit by bit with a full run");
  add_session_options(app, arguments.session);
  app.add_option("--strategy", arguments.replay.strategy, "force a strategy by name");
  app.add_flag("--json", arguments.as_json, "print one JSON line per request and a summary line");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;
  return replay(arguments);
}

}  // namespace changeaware::cli
