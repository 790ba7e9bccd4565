// What `main` is compared with on the example inputs: outputs that the caller recorded, and the
// exact engine, which runs PyTorch's own operators as the program has them.
#pragma once

#include <string>
#include <vector>

#include "changeaware/compiler.h"
#include "compiler/engines.h"
#include "pt2/program.h"
#include "strategy/execution.h"

namespace changeaware {

class Oracle {
 public:
  // `read`: the program with its examples; `program`: the same as the engines run it. All must
  // outlive this.
  Oracle(const Engines& engines, const ExportedProgram& read, const ExportedProgram& program,
         const CompileOptions& options);

  // For execute(). Where the exact engine is there and cannot run the program, `rejections` says
  // why.
  std::vector<Reference> references(std::vector<Rejection>& rejections);
  // Unsupported naming the first output that differs; if from the exact engine, also the first
  // value.
  Status check(const std::string& model_path, const Execution& execution) const;
  // references() had outputs of the exact engine.
  bool has_exact() const { return has_exact_; }

 private:
  Result<Graph> original() const;
  Result<std::map<std::string, Tensor>> exact_outputs() const;
  Result<std::string> first_difference() const;

  const Engines& engines_;
  const ExportedProgram& read_;
  const ExportedProgram& program_;
  const CompileOptions& options_;
  bool has_exact_ = false;
};

}  // namespace changeaware
