// Workload: what bench/run.py asks model_bench to measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/samples.h"

namespace changeaware::bench {

// Requests of one kind, timed alone or in turn with something else.
struct Scenario {
  std::string name;
  std::vector<std::string> changed;  // inputs that are new in every request
  // "full": a run of ours that reuses nothing. "whole": OpenVINO's own conversion. "decoder": the
  // second half of the hand-made split. "": nothing.
  std::string against;
  bool full = false;  // our requests reuse nothing
  bool tags = false;  // our inputs come with version tags
  size_t runs = 1;
  size_t warm_up = 0;
};

// Requests one after another, each answered by a session that reuses and by one that does not.
struct Trace {
  std::string name;
  // Per request the step of every input (see bench/samples.h); the first is not counted.
  std::vector<std::map<std::string, size_t>> requests;
};

// Requests of one kind on two sessions that differ in their budget for retained bytes.
struct BudgetWork {
  std::string name;
  std::vector<std::string> changed;  // inputs that are new in every request
  uint64_t budget_bytes = 0;         // of one; the other has no limit
  size_t runs = 1;
  size_t warm_up = 0;
};

struct ModelWork {
  std::string name;
  std::string package;
  std::vector<Sample> samples;
  // OpenVINO's files; empty = no such peer.
  std::string whole, encoder, decoder;
  double tolerance = 1e-3;  // between our answers and a peer's
  std::vector<Scenario> scenarios;
  std::vector<Trace> traces;
  std::vector<BudgetWork> budgets;
};

struct Workload {
  int threads = 2;
  std::vector<ModelWork> models;
};

// Throws std::runtime_error naming the file, and the member that is missing or wrong.
Workload read_workload(const std::string& path);

}  // namespace changeaware::bench
