// Runs the scenarios of one model.
#pragma once

#include <string>
#include <vector>

#include "bench/pairs.h"
#include "bench/subject.h"
#include "bench/workload.h"

namespace changeaware::bench {

struct ScenarioResult {
  std::string model, name, against;
  size_t runs = 0;
  Times ours;
  // Where the time of our requests went, medians. `session` is what is neither the engine's nor
  // the fingerprints'.
  double engine_us = 0;
  double fingerprint_us = 0;
  double session_us = 0;
  std::vector<std::string> ran, reused;  // callables
  bool bits_equal = false;               // to a run that reuses nothing
  // Against something only.
  Times theirs;
  double ratio = 0;
  double difference = 0;  // largest, between our answer and the peer's
};

// Loads package and peers, verifies the answers of each scenario once, then times it. Throws
// std::runtime_error when a call fails or a peer's answer is another one than ours.
std::vector<ScenarioResult> run_scenarios(const ModelWork& model,
                                          const std::shared_ptr<const Package>& package,
                                          int threads);

}  // namespace changeaware::bench
