// Topology: a manifest's strategy with names resolved to numbers. Immutable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

struct RegionInfo {
  std::string name;
  size_t callable = 0;  // index in Manifest::callables
  std::vector<Source> inputs;
  std::vector<Port> output_ports;
  std::vector<std::optional<Shape>> output_shapes;  // nothing where a size is symbolic
  std::vector<std::string> assertions;
  std::vector<size_t> dependencies;  // program inputs, increasing
  std::vector<size_t> shape_dependencies;
  bool has_reader = false;  // another region reads one of its outputs
};

struct ResultInfo {
  ProgramOutput output;
  Source source;  // valid for kPort
};

struct Topology {
  std::string strategy;
  std::vector<ProgramInput> inputs;  // of Manifest::inputs, fixed ones included
  std::vector<RegionInfo> regions;   // in execution order
  std::vector<ResultInfo> results;   // in the program's order
  std::map<std::string, size_t> input_index;
  std::map<std::string, size_t> result_index;
};

// REQUIRES: manifest.validate() is OK and `strategy` is one of its strategies.
Topology make_topology(const Manifest& manifest, const Strategy& strategy);

}  // namespace changeaware
