#include "end_to_end/compiled_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <random>

#include "changeaware/compiler.h"
#include "graph/text.h"
#include "pt2/writer.h"

namespace changeaware::testing {
namespace {

// The text form gives weights no elements. Zeros would hide every mistake, so each gets noise of
// its own, small enough that sums stay moderate.
void fill_weights(Graph& graph) {
  for (size_t i = 0; i < graph.constants().size(); ++i) {
    const Constant& c = graph.constants()[i];
    if (c.kind != ConstantKind::kParameter || c.tensor.dtype() != DType::kFloat32) continue;
    Tensor weight = noise(c.tensor.shape(), 1000 + static_cast<unsigned>(i));
    auto* to = reinterpret_cast<float*>(weight.mutable_data());
    for (int64_t k = 0; k < weight.numel(); ++k) to[k] *= 0.125f;
    graph.set_constant_tensor(i, weight);
  }
}

// Compiled blobs go to a folder of this run.
class OwnCacheFolder : public ::testing::Environment {
 public:
  void SetUp() override {
    folder_ = temporary_path("cache");
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  std::string folder_;
};

[[maybe_unused]] const auto* const kOwnCacheFolder =
    ::testing::AddGlobalTestEnvironment(new OwnCacheFolder);

}  // namespace

std::string temporary_path(const std::string& name) {
  static std::atomic<int> count = 0;
  return ::testing::TempDir() + "changeaware_" + std::to_string(getpid()) + "_" +
         std::to_string(count++) + "_" + name;
}

void write_program(const std::string& text, const std::string& path) {
  auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  fill_weights(*graph);
  ExportedProgram program;
  program.name = "model";
  for (ValueId id : graph->inputs())
    program.signature.inputs.push_back({graph->value(id).name, ValueRef{id}});
  std::map<std::string, int> seen;
  for (const Argument& output : graph->outputs()) {
    const auto* ref = std::get_if<ValueRef>(&output);
    std::string name = ref != nullptr ? graph->value(ref->id).name : "fixed";
    const int count = seen[name]++;
    if (count > 0) name += "_" + std::to_string(count);
    program.signature.outputs.push_back({name});
  }
  program.graph = *std::move(graph);
  auto writer = Pt2Writer::create(path);
  ASSERT_TRUE(writer.ok()) << writer.status().to_string();
  Status status = (*writer)->add_program(program);
  ASSERT_TRUE(status.ok()) << status.to_string();
  status = (*writer)->finish();
  ASSERT_TRUE(status.ok()) << status.to_string();
}

CompiledProgram::CompiledProgram(const std::string& text, const Inputs& examples,
                                 CostSource costs) {
  const std::string model = temporary_path("model.pt2");
  path_ = temporary_path("package.pt2");
  write_program(text, model);
  const auto report = compile(model, path_, {.examples = examples, .costs = costs});
  EXPECT_TRUE(report.ok()) << report.status().to_string();
  std::filesystem::remove(model);
  auto package = Package::open(path_);
  EXPECT_TRUE(package.ok()) << package.status().to_string();
  if (package.ok()) package_ = *package;
  reference_ = session();
}

CompiledProgram::~CompiledProgram() { std::filesystem::remove(path_); }

std::unique_ptr<Session> CompiledProgram::session(uint64_t retained_budget_bytes,
                                                  bool check_versions) const {
  auto out = Session::create(
      package_, {.retained_budget_bytes = retained_budget_bytes, .check_versions = check_versions});
  EXPECT_TRUE(out.ok()) << out.status().to_string();
  return *std::move(out);
}

std::vector<OutputValue> CompiledProgram::full_run(const Inputs& inputs,
                                                   const std::vector<std::string>& want) const {
  const auto response = reference_->run({.inputs = inputs, .want = want, .reuse = false});
  EXPECT_TRUE(response.ok()) << response.status().to_string();
  return response.ok() ? response->outputs : std::vector<OutputValue>{};
}

Response run(Session& session, const Inputs& inputs, const std::vector<std::string>& want) {
  auto response = session.run({.inputs = inputs, .want = want});
  EXPECT_TRUE(response.ok()) << response.status().to_string();
  return response.ok() ? *std::move(response) : Response{};
}

void expect_identical(const std::vector<OutputValue>& got,
                      const std::vector<OutputValue>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].name, expected[i].name);
    ASSERT_EQ(got[i].tensor.defined(), expected[i].tensor.defined());
    if (!got[i].tensor.defined()) continue;
    EXPECT_TRUE(bit_identical(got[i].tensor, expected[i].tensor)) << got[i].name;
  }
}

Tensor f32(Shape shape, const std::vector<float>& values) {
  return Tensor::of(DType::kFloat32, std::move(shape), values);
}
Tensor i64(Shape shape, const std::vector<int64_t>& values) {
  return Tensor::of(DType::kInt64, std::move(shape), values);
}

Tensor noise(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  Tensor out = Tensor::empty(DType::kFloat32, std::move(shape));
  for (int64_t i = 0; i < out.numel(); ++i) {
    reinterpret_cast<float*>(out.mutable_data())[i] =
        static_cast<float>(random() % 2000) / 1000.0f - 1.0f;
  }
  return out;
}

std::vector<float> floats(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

}  // namespace changeaware::testing
