// What one request carries through the stages of Session::run().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "changeaware/session.h"
#include "runtime/cache/retained_cache.h"
#include "runtime/cancellation.h"
#include "runtime/flights.h"
#include "runtime/planner/planner.h"
#include "runtime/prints_in_use.h"
#include "runtime/strategies.h"
#include "runtime/topology.h"
#include "runtime/versions.h"

namespace changeaware {

struct InputState {
  Tensor tensor;  // not defined() when the request has none
  Version version;
  bool tagged = false;   // its bytes were not read
  bool changed = false;  // against the previous request
  Status fast_values;    // why the fast engine does not compute with its values
  PrintsInUse::Use print;
};

struct RegionState {
  size_t callable = 0;          // that runs it: the manifest's, or its exact twin
  bool is_exact = false;        // the twin
  RetainedCache::Key key;       // of versions
  RetainedCache::Pin pin;       // retained outputs that serve this request
  std::vector<Tensor> outputs;  // computed or retained
  std::vector<Version> prints;  // of outputs; empty = not fingerprinted
  double load_us = 0;           // 0: it was loaded already, or did not run
  bool was_cold = false;        // its callable's first run
  double engine_us = 0;
  bool retained = false;   // after the request
  bool is_shared = false;  // another request holds the same outputs
  std::string not_retained_why;
  std::shared_ptr<Flights::Flight> flight;  // while it computes what others may wait for
};

struct RequestState {
  const Family* family = nullptr;
  const Topology* topology = nullptr;  // of the family
  std::optional<size_t> forced;        // strategy of the family
  bool reuse = true;
  Cancellation cancellation;
  std::vector<InputState> inputs;  // by program input
  std::vector<bool> wanted;        // by result
  std::vector<bool> needed;        // by program input: a wanted result or assertion depends on it
  bool all_assertions = false;
  std::vector<RegionState> regions;  // by region
  PlanRequest ask;
  PlanChoice plan;
  uint64_t copied_input_bytes = 0;
  double fingerprint_us = 0;
  double plan_us = 0;
};

}  // namespace changeaware
