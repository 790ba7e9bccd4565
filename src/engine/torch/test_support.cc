#include "engine/torch/test_support.h"

#include <cstdlib>
#include <utility>

namespace changeaware::torch {

void WithTorch::SetUp() {
  const char* named = std::getenv("CHANGEAWARE_LIBTORCH");
  if (named == nullptr || *named == 0) {
    GTEST_SKIP() << "CHANGEAWARE_LIBTORCH names no PyTorch; `make test` sets it";
  }
  const auto built = build_exact_engine();
  ASSERT_TRUE(built.ok()) << built.status().to_string();
}

const Engine& torch_engine() {
  static const Engine* engine = [] {
    auto made = make_torch_engine(2, {});
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return std::move(made).value().release();
  }();
  return *engine;
}

Result<std::unique_ptr<Executable>> compile_text(const std::string& graph) {
  CA_ASSIGN_OR_RETURN(const Graph parsed, parse_graph(graph));
  return torch_engine().compile(parsed);
}

Result<std::vector<Tensor>> run_text(const std::string& graph, const std::vector<Tensor>& inputs) {
  CA_ASSIGN_OR_RETURN(const Graph parsed, parse_graph(graph));
  CA_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, torch_engine().compile(parsed));
  std::vector<Tensor> outputs(parsed.outputs().size());
  CA_RETURN_IF_ERROR(executable->run(inputs, outputs));
  return outputs;
}

::testing::AssertionResult mentions(const Status& status, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (status.message().find(word) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << word << "\" in: " << status.to_string();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace changeaware::torch
