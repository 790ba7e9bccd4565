// What `main` is compared with on the example inputs: outputs that the caller recorded, and the
// exact engine, which runs PyTorch's own operators as the program has them.
#pragma once

#include <map>
#include <optional>
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
  // value. Where that is which of equal elements was taken, which PyTorch leaves open, it is no
  // difference, but noted.
  Status check(const std::string& model_path, const Execution& execution,
               std::vector<Rejection>& rejections) const;
  // references() had outputs of the exact engine.
  bool has_exact() const { return exact_outputs_.has_value(); }

 private:
  Result<Graph> original() const;
  Result<std::map<std::string, Tensor>> compute_exact_outputs() const;
  bool reference_is_exact() const;
  struct Difference {
    std::string text;
    bool is_order_of_equals = false;
  };
  Result<Difference> first_difference() const;
  // Whether a sorting node's indices `want` and `got` choose equal elements.
  bool differ_in_order(const Node& node, const std::map<std::string, Tensor>& values,
                       const Tensor& want, const Tensor& got) const;

  const Engines& engines_;
  const ExportedProgram& read_;
  const ExportedProgram& program_;
  const CompileOptions& options_;
  std::optional<std::map<std::string, Tensor>> exact_outputs_;
};

}  // namespace changeaware
