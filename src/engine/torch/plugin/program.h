// Program: a graph of operators, run one after the other through PyTorch's dispatcher.
//
// Every operator is the one that Python calls, below no gradient: the bits are those of the
// exported program's own module under torch.no_grad() with as many threads. A value lives from its
// operator to its last reader. Thread safety: run() may be called concurrently. Errors:
// ProgramError.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/torch/plugin/operands.h"
#include "engine/torch/plugin/plugin_interface.h"
#include "engine/torch/plugin/python_numbers.h"
#include "engine/torch/plugin/values.h"

namespace changeaware::torch_plugin {

struct ProgramError {
  CaTorchCode code;
  std::string message;
};

// The exception being handled, in one line. To be called from a catch block.
ProgramError current_error();

// "aten.add.Tensor" as the dispatcher names it: "aten::add", "Tensor".
c10::OperatorName dispatcher_name(const std::string& op);

class Program {
 public:
  explicit Program(const CaTorchProgramSpec& spec);
  void run(const CaTorchTensor* inputs, CaTorchOutput* outputs) const;

 private:
  struct Step {
    std::string label;  // "node 'add' (aten.add.Tensor)"
    std::optional<c10::OperatorHandle> op;
    const NumberOp* number_op = nullptr;  // set: Python's arithmetic instead
    std::vector<Operand> operands;
    std::vector<std::vector<int64_t>> number_lists;
    std::vector<int32_t> outputs;
    std::vector<int64_t> dead;  // values that nothing reads afterwards
  };

  Step make_step(const CaTorchNode& node) const;
  void add_number_operands(const CaTorchNode& node, Step& step) const;
  void add_operands(const CaTorchNode& node, Step& step) const;
  void find_last_reads();
  void call(const Step& step, const Values& values, std::vector<c10::IValue>& computed) const;

  size_t value_count_;
  std::vector<CaTorchInput> inputs_;
  std::vector<c10::IValue> constants_;  // by value; None where there is none
  Storages constant_storages_;
  std::vector<Step> steps_;
  std::vector<int32_t> outputs_;
};

}  // namespace changeaware::torch_plugin
