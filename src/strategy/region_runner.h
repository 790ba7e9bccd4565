// RegionRunner: one region made ready, run and measured.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "changeaware/package.h"
#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware {

class RegionRunner {
 public:
  // Compiles what an engine runs for `region`. Errors of Engine::compile(), with the name before
  // them.
  static Result<RegionRunner> load(const Engine& engine, const std::string& name,
                                   const Graph& region);

  // Values that run() takes and gives, by name; conditions of assertions come last.
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }

  // Outputs are new, in any layout without gaps. FailedAssertion when a condition of the program
  // does not hold; errors of Executable::run(). Runs that failed are not measured.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);

  // Whether the warm runs so far are too few to be measured by: at least 3, and more while they
  // are short.
  bool wants_more_runs() const;
  // Of the runs so far. `weight_bytes`: the least that it is taken to add to the process.
  CallableCosts costs(uint64_t weight_bytes) const;

 private:
  RegionRunner() = default;
  Status check_assertions(const std::vector<Tensor>& outputs) const;

  std::unique_ptr<Executable> executable_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  struct Condition {
    size_t output = 0;
    std::string message;
  };
  std::vector<Condition> conditions_;
  double load_us_ = 0;
  double cold_us_ = 0;
  bool ran_ = false;
  std::vector<double> warm_us_;
  uint64_t bytes_before_ = 0;
  uint64_t resident_bytes_ = 0;
};

// Private memory of this process, in bytes, after giving free memory back to the system. 0 where
// the system does not say.
uint64_t private_memory_bytes();

// Estimates from shapes: the same for the same region, on every machine.
CallableCosts nominal_costs(const Graph& region, uint64_t weight_bytes);

}  // namespace changeaware
