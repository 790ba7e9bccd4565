// The exact engine: PyTorch's own operators, called through a plug-in (docs/exact_engine.md).
//
// An Executable gives the bits of the program's own module under torch.no_grad(), on the same
// machine with as many threads. Constants and inputs are used where they lie; outputs lie in
// PyTorch's memory, which the tensors given back own.
// A process has one PyTorch: the first engine made decides which. It is never unloaded.
// Thread safety: functions may be called concurrently.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "changeaware/exact_engine.h"
#include "engine/engine.h"

namespace changeaware {

// `threads`: of one operator; 0 = as many as PyTorch takes by itself. Symbolic numbers of floating
// point are float64 tensors of rank 0, truth values bool ones.
// Errors: Unsupported, in one sentence that says what to do: there is no PyTorch, no plug-in for
// it, a broken one, another PyTorch in this process, or an operator library that cannot be loaded.
Result<std::unique_ptr<Engine>> make_torch_engine(int threads, const ExactEngineOptions& options);

// "(Tensor self, int dim) -> Tensor" of an operator, for parse_op_schema(); empty when PyTorch and
// the operator libraries of `options` do not have it. Errors: as make_torch_engine().
Result<std::string> torch_op_schema(std::string_view name, const ExactEngineOptions& options);

// torch_op_schema() with these options, as register_operators() takes it.
std::function<Result<std::string>(const std::string&)> torch_op_schemas(
    const ExactEngineOptions& options);

}  // namespace changeaware
