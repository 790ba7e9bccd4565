// Workload: what bench/run.py asks model_bench to measure.
#pragma once

#include <cstddef>
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

struct ModelWork {
  std::string name;
  std::string package;
  std::vector<Sample> samples;
  // OpenVINO's files; empty = no such peer.
  std::string whole, encoder, decoder;
  double tolerance = 1e-3;  // between our answers and a peer's
  std::vector<Scenario> scenarios;
};

struct Workload {
  int threads = 2;
  std::vector<ModelWork> models;
};

// Throws std::runtime_error naming the file, and the member that is missing or wrong.
Workload read_workload(const std::string& path);

}  // namespace changeaware::bench
