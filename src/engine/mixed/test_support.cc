#include "engine/mixed/test_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "engine/mixed/mixed_engine.h"
#include "engine/openvino/test_support.h"
#include "graph/text.h"

namespace changeaware::mixed {
namespace {

class RecordingExecutable final : public Executable {
 public:
  RecordingExecutable(std::string name, std::shared_ptr<Recording> recording,
                      std::unique_ptr<Executable> executable)
      : name_(std::move(name)),
        recording_(std::move(recording)),
        executable_(std::move(executable)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    RecordedRun run{name_, {}, {}, {}};
    for (const Tensor& t : inputs) run.inputs.push_back(t.data());
    if (recording_->before_run) recording_->before_run(run);
    CA_RETURN_IF_ERROR(executable_->run(inputs, outputs));
    for (const Tensor& t : outputs) {
      run.outputs.push_back(t.data());
      run.output_storages.push_back(t.storage());
    }
    const std::lock_guard lock(recording_->mutex);
    recording_->runs.push_back(std::move(run));
    return {};
  }

 private:
  std::string name_;
  std::shared_ptr<Recording> recording_;
  std::unique_ptr<Executable> executable_;
};

OpSchema schema(std::string_view name, std::string_view text) {
  auto parsed = parse_op_schema(name, text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().to_string();
  return *std::move(parsed);
}

}  // namespace

RecordingEngine::RecordingEngine(std::string name, std::shared_ptr<Recording> recording)
    : name_(std::move(name)), recording_(std::move(recording)) {}

Result<std::unique_ptr<Executable>> RecordingEngine::compile(const Graph& graph) const {
  return compile_identified(graph, {});
}

Result<std::unique_ptr<Executable>> RecordingEngine::compile_identified(
    const Graph& graph, const std::string& identity) const {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()) ops.emplace_back(node.op->base_name());
  {
    const std::lock_guard lock(recording_->mutex);
    recording_->compiled.push_back(fmt::format("{}: {}", name_, fmt::join(ops, ", ")));
    recording_->identities.push_back(identity);
  }
  CA_ASSIGN_OR_RETURN(auto executable, ovn::test_engine().compile(graph));
  return std::unique_ptr<Executable>(
      new RecordingExecutable(name_, recording_, std::move(executable)));
}

Result<std::vector<NodeRefusal>> RecordingEngine::refusals(const Graph& graph) const {
  return ovn::test_engine().refusals(graph);
}

TestEngine make_test_engine(bool with_exact) {
  TestEngine out;
  std::shared_ptr<Engine> exact;
  if (with_exact) exact = std::make_shared<RecordingEngine>("exact", out.recording);
  out.engine = make_mixed_engine(std::make_unique<RecordingEngine>("fast", out.recording), exact);
  return out;
}

Graph graph_of(const std::string& text, const std::vector<std::string>& exact) {
  auto parsed = parse_graph(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().to_string();
  Graph graph = parsed.ok() ? *std::move(parsed) : Graph();
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    Node& node = graph.mutable_node(id);
    for (const std::string& name : exact) {
      if (graph.value(node.outputs[0]).name == name) node.exact = true;
    }
  }
  return graph;
}

NodeId add_control_flow(Graph& graph, const OpSchema& op, std::vector<Argument> arguments,
                        const std::vector<Value>& results) {
  Node node{&op, std::move(arguments), {}, "control"};
  for (const Value& value : results) {
    node.outputs.push_back(graph.add_value(value));
    graph.add_output(ValueRef{node.outputs.back()});
  }
  return graph.add_node(std::move(node));
}

Argument nested(const std::string& text, const std::vector<std::string>& exact) {
  return std::shared_ptr<const Graph>(std::make_shared<Graph>(graph_of(text, exact)));
}

Argument values(const Graph& graph, const std::vector<std::string>& names) {
  TensorList list;
  for (const std::string& name : names) list.items.push_back(graph.find_value(name));
  return list;
}

Value tensor_value(const std::string& name, DType dtype, Shape shape) {
  Value value;
  value.name = name;
  value.spec.dtype = dtype;
  for (int64_t size : shape) value.spec.dims.push_back({size, {}});
  return value;
}

const OpSchema& cond_schema() {
  static const OpSchema op =
      schema("higher_order.cond",
             "(Scalar pred, Graph true_graph, Graph false_graph, Tensor[] operands) -> Tensor[]");
  return op;
}
const OpSchema& while_schema() {
  static const OpSchema op =
      schema("higher_order.while_loop",
             "(Graph cond, Graph body, Tensor[] carried, Tensor[] additional) -> Tensor[]");
  return op;
}
const OpSchema& scan_schema() {
  static const OpSchema op =
      schema("higher_order.scan",
             "(Graph combine, Tensor[] init, Tensor[] xs, Tensor[] additional) -> Tensor[]");
  return op;
}
const OpSchema& map_schema() {
  static const OpSchema op =
      schema("higher_order.map_impl", "(Graph body, Tensor[] xs, Tensor[] args) -> Tensor[]");
  return op;
}

Result<std::vector<Tensor>> run(const Executable& executable, const std::vector<Tensor>& inputs,
                                size_t outputs) {
  std::vector<Tensor> out(outputs);
  CA_RETURN_IF_ERROR(executable.run(inputs, out));
  return out;
}

Tensor floats(Shape shape, const std::vector<float>& values) {
  return Tensor::of<float>(DType::kFloat32, std::move(shape), values);
}
Tensor integers(Shape shape, const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>(DType::kInt64, std::move(shape), values);
}
Tensor boolean(bool value) {
  return Tensor::of<uint8_t>(DType::kBool, {}, {static_cast<uint8_t>(value)});
}

std::vector<float> floats_of(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  const auto* data = dense.data_as<float>();
  return std::vector<float>(data, data + dense.numel());
}

::testing::AssertionResult mentions(const Status& status, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (status.message().find(word) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << word << "\" in: " << status.to_string();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace changeaware::mixed
