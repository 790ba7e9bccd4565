// conversion: a functional graph as an OpenVINO model, through the PyTorch frontend.
// Thread safety: convert() may be called concurrently.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace changeaware::ovn {

struct ConvertedModel {
  // Parameters carry the tensor name input_name(i) of input i of the graph; inputs that nothing
  // reads may be missing. Results are in the order of the `outputs` asked for.
  std::shared_ptr<ov::Model> model;
  std::vector<Tensor> constants;  // what the model reads in place
};

std::string input_name(size_t index);

// A size of a value that is wanted at run time, as an int64 of rank 0.
struct ExtentRequest {
  ValueId value;
  size_t dim;
};

// `outputs`: distinct values computed by nodes. `extents` become further results after them.
// Every value that is read has the dtype, rank and fixed sizes that the graph says, or the
// conversion fails.
// Errors: Unsupported naming node and operator.
Result<ConvertedModel> convert_graph(const Graph& graph, std::span<const ValueId> outputs,
                                     std::span<const ExtentRequest> extents);

}  // namespace changeaware::ovn
