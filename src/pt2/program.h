// ExportedProgram: what one `models/<name>.json` of a `.pt2` archive holds, resolved against the
// archive's payloads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/signature.h"

namespace changeaware {

struct ExportedProgram {
  std::string name;  // "model"
  Graph graph;       // constants hold mapped memory and keep it alive
  Signature signature;
  // One per Graph::inputs() entry, or empty when the archive has none. Symbolic numbers are tensors
  // of rank 0.
  std::vector<Tensor> sample_inputs;
  // Why sample_inputs is empty although the archive has some: they hold something that is not read
  // (an object of a class that this library does not know). Empty otherwise.
  std::string sample_inputs_note;
  std::string torch_version;  // as the file states it; may be empty
  int schema_major = 0;
  int schema_minor = 0;
  // Field names of the named tuples in the tree specs, by registered name.
  std::map<std::string, std::vector<std::string>> named_tuples;
};

}  // namespace changeaware
