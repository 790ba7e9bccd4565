// Peer: a model in OpenVINO's own format, run by OpenVINO alone, as its users run it: one request,
// inputs and outputs bound to the caller's memory.
// Not thread-safe.
#pragma once

#include <map>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware::bench {

class Peer {
 public:
  Peer(const std::string& path, int threads);

  // Microseconds from binding the inputs to having the outputs. `inputs` by name, those of the
  // model among them; the tensors must be contiguous. Throws what OpenVINO throws.
  double run(const std::map<std::string, Tensor>& inputs);
  // In the model's order; overwritten by the next run.
  const std::vector<Tensor>& outputs() const { return outputs_; }
  const std::vector<std::string>& input_names() const { return input_names_; }

 private:
  ov::CompiledModel model_;
  ov::InferRequest request_;
  std::vector<std::string> input_names_;
  std::vector<Tensor> outputs_;
};

}  // namespace changeaware::bench
