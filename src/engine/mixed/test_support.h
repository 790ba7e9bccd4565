// What the mixed engine's tests share: an engine that notes what it is given, and control-flow
// nodes made by hand.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/graph.h"

namespace changeaware::mixed {

// Of one run of one executable.
struct RecordedRun {
  std::string engine;
  std::vector<const std::byte*> inputs, outputs;
  std::vector<std::weak_ptr<Storage>> output_storages;
};

struct Recording {
  std::mutex mutex;
  std::vector<std::string> compiled;    // "exact: add, mul"
  std::vector<std::string> identities;  // empty ones too
  std::vector<RecordedRun> runs;
  std::function<void(const RecordedRun&)> before_run;  // with the inputs only
};

// The OpenVINO engine under another name.
class RecordingEngine final : public Engine {
 public:
  RecordingEngine(std::string name, std::shared_ptr<Recording> recording);
  EngineInfo info() const override { return {name_, "1"}; }
  Result<std::unique_ptr<Executable>> compile(const Graph& graph) const override;
  Result<std::unique_ptr<Executable>> compile_identified(
      const Graph& graph, const std::string& identity) const override;
  Result<std::vector<NodeRefusal>> refusals(const Graph& graph) const override;

 private:
  std::string name_;
  std::shared_ptr<Recording> recording_;
};

struct TestEngine {
  std::shared_ptr<Recording> recording = std::make_shared<Recording>();
  std::unique_ptr<Engine> engine;
};
TestEngine make_test_engine(bool with_exact = true);

// The graph with the nodes of these names on the exact engine.
Graph graph_of(const std::string& text, const std::vector<std::string>& exact = {});

// Adds a node to `graph`; each of `results` becomes a value like it, and an output.
NodeId add_control_flow(Graph& graph, const OpSchema& op, std::vector<Argument> arguments,
                        const std::vector<Value>& results);
Argument nested(const std::string& text, const std::vector<std::string>& exact = {});
Argument values(const Graph& graph, const std::vector<std::string>& names);
Value tensor_value(const std::string& name, DType dtype, Shape shape);

// As torch.export writes them.
const OpSchema& cond_schema();
const OpSchema& while_schema();
const OpSchema& scan_schema();
const OpSchema& map_schema();

Result<std::vector<Tensor>> run(const Executable& executable, const std::vector<Tensor>& inputs,
                                size_t outputs);
Tensor floats(Shape shape, const std::vector<float>& values);
Tensor integers(Shape shape, const std::vector<int64_t>& values);
Tensor boolean(bool value);
std::vector<float> floats_of(const Tensor& tensor);
::testing::AssertionResult mentions(const Status& status, const std::vector<std::string>& words);

}  // namespace changeaware::mixed
