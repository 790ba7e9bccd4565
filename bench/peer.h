// Peer: a model in OpenVINO's own format, run by OpenVINO alone, as its users run it: one request,
// inputs and outputs bound to the caller's memory.
// Not thread-safe. Everything throws what OpenVINO throws.
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
  // model among them; the tensors must be contiguous.
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

// OpenVINO's way from nothing to an answer, with a cache folder of its own.
struct PeerStart {
  double ready_us = 0;   // until the model can be run
  double answer_us = 0;  // until the first answer
  bool used_cache = false;
};

// `reads`: the model is read and then compiled; else OpenVINO is given the file, and reads nothing
// when its cache has it. `inputs`: in the model's order; contiguous.
PeerStart start_peer(const std::string& path, int threads, const std::string& cache_folder,
                     bool reads, const std::vector<Tensor>& inputs);

}  // namespace changeaware::bench
