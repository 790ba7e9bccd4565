// Execution: `main` and the segments are run on the example inputs and on mixtures of them, and
// everything is recorded that is needed to judge strategies without running anything again.
//
// A mixture takes, for a set of changed inputs, their alternates (alternates.h) and the examples
// for the others. Each segment runs once per mixture of the inputs that it depends on, on what the
// segments before it gave for that mixture: so a request of any strategy is a choice of these
// values, and it has the bits of a full run when each value it reuses has the bits of the value it
// stands for. `main` runs on the same mixtures, which is the independent check: of dependencies
// that were proved wrong, of cuts, of the engine. Engines fuse operators across what are boundaries
// between segments, which can change last bits; so `main` and segments agree within a tolerance,
// and whether their bits agree is recorded.
//
// One executable is in memory at a time, so weights are packed once at any moment.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/input_set.h"
#include "changeaware/package.h"
#include "engine/engine.h"
#include "pt2/program.h"

namespace changeaware {

// What `main` must give for the examples, computed elsewhere.
struct Reference {
  std::string label;  // "the reference": where the expected values come from, for messages
  std::map<std::string, Tensor> outputs;  // by output name
  Tolerance tolerance;
};

struct ExecutionOptions {
  bool measure = true;  // else nominal costs, and no more runs than comparing takes
  Tolerance tolerance;
  std::vector<Reference> references;
  // Called as (done, total) between callables; may be empty.
  std::function<void(size_t, size_t)> progress;
  // All sets of changed inputs are executed up to these limits, a covering sample beyond.
  size_t most_inputs = 6;
  uint64_t most_kept_bytes = uint64_t{512} << 20;
  double most_main_us = 60e6;
};

// One set of changed inputs.
struct ExecutedSet {
  InputSet changed;                // by Graph::inputs() of `main`; none = the examples themselves
  std::vector<std::string> names;  // of those inputs
  std::string label;               // "image, points"
  bool bits_of_main = true;
  bool within_tolerance = true;
  bool contradicts_main = false;
  std::string difference;  // the first one: output, element, both values
};

struct Execution {
  std::vector<CallableCosts> costs;  // by Manifest::callables
  std::vector<ExecutedSet> sets;     // the empty set first
  // "all 8 sets of changed inputs", "9 of 256 sets of changed inputs, because …".
  std::string coverage;
  bool is_complete = true;          // all sets were executed
  std::vector<Rejection> left_out;  // sets on which the program itself fails, and how
  std::vector<std::string> reference_differences;  // of `main`, by reference; empty = agrees
  std::map<std::string, InputSet> dependencies;  // of ports of segments, closed over what they read
  // By port, by the part of a changed set that the port depends on: how the value differs from the
  // one for the examples. Sets for which it has the same bits are left out.
  std::map<std::string, std::map<InputSet, std::string>> changes;

  // How `port` differs for this set from its value for the examples; empty = not in a bit.
  const std::string& change(const std::string& port, const InputSet& changed) const;
};

// `regions`: the programs of manifest.callables, `main` first; `examples`: one per input of it.
// The manifest's strategies, costs and tolerance are not looked at. Errors: FailedAssertion when
// the program refuses its own examples; Unsupported naming a callable that gives other bits on the
// same inputs; InvalidArgument for a reference that does not fit, by name; those of the engine.
Result<Execution> execute(const Engine& engine, const Manifest& manifest,
                          const std::vector<ExportedProgram>& regions,
                          const std::vector<Tensor>& examples, const ExecutionOptions& options);

}  // namespace changeaware
