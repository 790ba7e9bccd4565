// OpenVinoExecutable: a compiled model and the requests that run it.
//
// Infer requests are pooled and made on demand, one per call that is in progress. Every tensor is
// bound anew for each call, so that a request never writes to, or reads from, memory of an earlier
// caller.
#pragma once

#include <memory>
#include <mutex>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/openvino/blob.h"
#include "engine/openvino/guards.h"

namespace changeaware::ovn {

// How an output of the graph comes about.
struct OutputSource {
  enum class Kind : uint8_t { kResult, kInput, kConstant } kind = Kind::kResult;
  size_t index = 0;  // result of the model, or input of the graph
  Tensor constant;
};

// A guard and where its numbers are found at run time.
struct BoundGuard {
  Guard guard;
  bool from_input = false;
  size_t index = 0;  // input of the graph, or result of the model
  int64_t extent = 0;
  bool extent_is_result = false;
  size_t extent_index = 0;  // result of the model
};

// One input or output of the graph, as the program describes it.
struct PortSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<Dim> dims;
  bool fixed = true;
};

struct ExecutableParts {
  std::vector<PortSpec> inputs;
  std::vector<PortSpec> outputs;
  std::vector<OutputSource> sources;  // one per output
  std::vector<BoundGuard> guards;
  std::vector<int> input_ports;  // parameter of the model per input; -1 = unused
  size_t results = 0;
  std::unique_ptr<BlobMemory> memory;  // what `model` was imported from; null when it was compiled
  ov::CompiledModel model;             // empty when `results` is 0
};

class OpenVinoExecutable final : public Executable {
 public:
  explicit OpenVinoExecutable(ExecutableParts parts);
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override;

 private:
  // In-port and out-port objects are looked up once.
  struct Result {
    ov::Output<const ov::Node> port;
    ov::element::Type type;
    int output = -1;        // first output of the graph that it is; -1 = only a guard reads it
    bool bindable = false;  // its shape is fixed and not empty, so the caller's memory can be used
  };

  Status check_inputs(std::span<const Tensor> inputs) const;
  Status run_bound(ov::InferRequest& request, std::span<const Tensor> inputs,
                   std::span<Tensor> outputs) const;
  Status bind_outputs(ov::InferRequest& request, std::span<Tensor> outputs) const;
  Status collect_results(ov::InferRequest& request, std::span<Tensor> outputs) const;
  Status copy_others(std::span<const Tensor> inputs, std::span<Tensor> outputs) const;
  Status check_input_guards(std::span<const Tensor> inputs) const;
  Status check_result_guards(ov::InferRequest& request, std::span<const Tensor> inputs) const;
  int64_t extent_of(const BoundGuard& guard, ov::InferRequest* request) const;

  ov::InferRequest acquire() const;
  void release(ov::InferRequest request) const;

  ExecutableParts parts_;
  std::vector<ov::Output<const ov::Node>> input_ports_;  // per input; unused ones are empty
  std::vector<ov::element::Type> input_types_;
  std::vector<Result> results_;
  bool has_symbols_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<ov::InferRequest> idle_;
};

}  // namespace changeaware::ovn
