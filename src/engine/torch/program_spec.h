// A graph in the terms of the plug-in's interface.
#pragma once

#include <memory>

#include "changeaware/status.h"
#include "engine/torch/plugin/plugin_interface.h"
#include "graph/graph.h"

namespace changeaware::torch {

// Valid as long as it and the graph live.
class ProgramSpec {
 public:
  // Unsupported naming the node for an argument that does not cross (a nested graph).
  static Result<ProgramSpec> of(const Graph& graph);
  ProgramSpec(ProgramSpec&&) noexcept;
  ~ProgramSpec();

  const CaTorchProgramSpec& get() const { return spec_; }

 private:
  struct Parts;
  explicit ProgramSpec(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
  CaTorchProgramSpec spec_{};
};

CaTorchTensor describe(const Tensor& tensor);

}  // namespace changeaware::torch
