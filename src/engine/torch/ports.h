// Inputs and outputs of a region, as the program describes them, and what fits them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "changeaware/status.h"
#include "changeaware/tensor.h"
#include "graph/graph.h"

namespace changeaware::torch {

struct Port {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<Dim> dims;
  bool is_number = false;
};

Port port_of(const Value& value);
bool fits(const Port& port, const Tensor& tensor);
// "float32[1, s0]".
std::string describe(const Port& port);
std::string describe(DType dtype, std::span<const int64_t> shape);

// InvalidArgument naming the first input that is missing, does not fit, or gives a symbol another
// size than one before it.
Status check_inputs(const std::vector<Port>& ports, std::span<const Tensor> inputs);

}  // namespace changeaware::torch
