// Runs a trace's requests one after another on a session.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "changeaware/session.h"
#include "changeaware/status.h"
#include "cli/trace.h"

namespace changeaware::cli {

struct ReplayOptions {
  std::string strategy;  // forced on every request; empty = the session chooses
  bool full = false;     // every request without reuse
};

// What one request gave.
struct ReplayResult {
  size_t index = 0;
  Status status;  // the other members but `equal` are meaningful only when it is OK
  Report report;
  double microseconds = 0;  // Session::run alone
  // SHA-256 by output name, in the program's order; none for None and text.
  std::vector<std::pair<std::string, std::optional<std::string>>> outputs;
  // With a reference: whether both answers have the same bits, or fail with the same code.
  std::optional<bool> equal;
  std::vector<std::string> different;  // names of the outputs that differ
  std::string reference_error;         // why the reference gave no answer
};

class Replayer {
 public:
  // Both sessions must outlive this. `reference` answers every request again for comparison, in
  // full and with the strategy that the answer came from; null = no comparison.
  Replayer(Session& session, ReplayOptions options, Session* reference);

  // An input that `request` leaves out keeps the value and the tag of the last request that
  // succeeded with it; a failed request leaves no trace.
  ReplayResult run(size_t index, const TraceRequest& request);

 private:
  Result<Request> assemble(const TraceRequest& request) const;
  void compare(const Request& request, const Result<Response>& answer, ReplayResult& result);

  Session& session_;
  ReplayOptions options_;
  Session* reference_;
  std::map<std::string, Tensor> values_;
  std::map<std::string, std::string> versions_;
};

}  // namespace changeaware::cli
