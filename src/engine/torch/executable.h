// TorchExecutable: a program that the plug-in runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/torch/plugin_library.h"
#include "engine/torch/ports.h"

namespace changeaware::torch {

class TorchExecutable final : public Executable {
 public:
  // Unsupported naming the node that PyTorch cannot run.
  static Result<std::unique_ptr<Executable>> make(const Plugin& plugin, int threads,
                                                  const Graph& graph);
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override;

 private:
  struct Free {
    const CaTorchPlugin* functions;
    void operator()(CaTorchProgram* program) const { functions->free_program(program); }
  };

  TorchExecutable(const Plugin& plugin, int threads, const Graph& graph);
  Status check_given(std::span<const Tensor> outputs) const;
  Result<Tensor> take(CaTorchOutput& output, const Port& port) const;

  const CaTorchPlugin* functions_;
  int threads_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<Tensor> constants_;  // their memory is the program's
  std::unique_ptr<CaTorchProgram, Free> program_;
};

}  // namespace changeaware::torch
