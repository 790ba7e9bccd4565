// Topology: the callables of a strategy with names resolved to numbers. Immutable.
//
// All strategies but `monolithic` run the same segments, so a package has two topologies at most.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "changeaware/package.h"

namespace changeaware {

// Where a port's tensor comes from.
struct Source {
  bool is_input = false;
  size_t region = 0;  // index in Topology::regions when not an input
  size_t index = 0;   // program input, or output of that region
};

// A set of program inputs, 64 to a word.
using InputWords = std::vector<uint64_t>;

struct RegionInfo {
  std::string name;
  size_t callable = 0;  // index in Manifest::callables
  std::vector<Source> inputs;
  std::vector<Port> output_ports;
  size_t first_output = 0;             // number of its first output among those of all regions
  std::vector<bool> output_is_result;  // the program returns it
  std::vector<std::string> assertions;
  std::vector<size_t> dependencies;  // program inputs, increasing
  std::vector<size_t> shape_dependencies;
  InputWords depends_on;       // both of those
  bool is_whole = false;       // depends on all contents that any region depends on
  bool reads_regions = false;  // and not only program inputs
  uint64_t exact_node_count = 0;
};

struct ResultInfo {
  ProgramOutput output;
  Source source;  // valid for kPort
};

struct Topology {
  std::vector<ProgramInput> inputs;  // of Manifest::inputs, fixed ones included
  std::vector<RegionInfo> regions;   // in execution order
  std::vector<ResultInfo> results;   // in the program's order
  size_t output_count = 0;           // of all regions
  std::map<std::string, size_t> input_index;
  std::map<std::string, size_t> result_index;
};

// REQUIRES: manifest.validate() is OK and `callables` are those of one of its strategies.
Topology make_topology(const Manifest& manifest, const std::vector<std::string>& callables);

}  // namespace changeaware
