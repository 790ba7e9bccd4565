// Signature: how a caller of the exported module sees its inputs and outputs.
//
// The flat lists are in the order of the flattened pytree, positional arguments before keyword
// arguments. The two tree specs are PyTorch's own JSON (torch.utils._pytree, protocol 1), kept
// verbatim so that a language binding can rebuild the nesting.
#pragma once

#include <string>
#include <vector>

#include "graph/argument.h"

namespace changeaware {

struct InputSpec {
  std::string name;  // of the placeholder: "image", "x_a1" for {"a1": …} given as x
  // ValueRef into the graph, or the constant that was baked in at export (None, bool, int64_t,
  // double, std::string): such an input is not asked of the caller.
  Argument value;
};

struct OutputSpec {
  std::string name;  // unique; the dictionary key where the output is a dictionary
  // Position in Graph::outputs() is the position in this list.
};

struct Signature {
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::string in_spec;  // treespec JSON of (args, kwargs); empty when the file has none
  std::string out_spec;
  std::vector<std::string> forward_arg_names;
};

}  // namespace changeaware
