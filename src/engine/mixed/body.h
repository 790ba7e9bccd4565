// Body: a graph inside a control-flow node, compiled.
// Thread safety: run() may be called concurrently.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::mixed {

class Body {
 public:
  // `identity` is that of the body, or empty. Errors: those of the engine; Unsupported for a result
  // that is neither a value nor a number.
  static Result<Body> compile(const Engine& engine, const Graph& graph,
                              const std::string& identity);

  size_t input_count() const { return inputs_; }
  size_t output_count() const { return results_.size(); }

  // `outputs` as in Executable::run(). FailedAssertion with the message of an assertion of the body
  // that does not hold.
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const;

 private:
  // One per output of the graph.
  struct ResultSource {
    size_t index = 0;  // output of the executable
    Tensor fixed;      // defined: known since export
  };
  struct Check {
    size_t index = 0;  // output of the executable
    std::string message;
  };

  size_t inputs_ = 0;
  std::unique_ptr<Executable> executable_;  // null when nothing is computed
  size_t executed_ = 0;                     // outputs of the executable
  std::vector<ResultSource> results_;
  std::vector<Check> checks_;
};

// A number that was fixed at export, as the tensor that stands for it; undefined for anything else.
Tensor number_tensor(const Argument& argument);

// Puts `source` into an output: in place where it is defined, else as a copy.
// InvalidArgument when the defined output has another dtype or shape.
Status copy_to_output(const Tensor& source, const std::string& name, Tensor& output);
// The same where nobody else holds `source`, which then need not be copied.
Status give_to_output(Tensor source, const std::string& name, Tensor& output);

}  // namespace changeaware::mixed
