// What tests of the exact engine share: the engine itself, and graphs in text form.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/torch/torch_engine.h"
#include "graph/text.h"

// A sanitizer cannot see into PyTorch, which is not built with it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CA_WITH_TORCH 0
#else
#define CA_WITH_TORCH 1
#endif

namespace changeaware::torch {

// Skipped, which fails in CI, where CHANGEAWARE_LIBTORCH names no PyTorch.
class WithTorch : public ::testing::Test {
 protected:
  void SetUp() override;
};

// Two threads; process-wide. Builds the plug-in when it is not there. REQUIRES: WithTorch.
const Engine& torch_engine();

Result<std::unique_ptr<Executable>> compile_text(const std::string& graph);
Result<std::vector<Tensor>> run_text(const std::string& graph, const std::vector<Tensor>& inputs);

::testing::AssertionResult mentions(const Status& status, const std::vector<std::string>& words);

// Same dtype, shape and bits.
template <class T>
::testing::AssertionResult holds(const Tensor& got, DType dtype, Shape shape,
                                 const std::vector<T>& values) {
  const Tensor wanted = Tensor::of(dtype, std::move(shape), values);
  if (got.defined() && bit_identical(got, wanted)) return ::testing::AssertionSuccess();
  if (!got.defined()) return ::testing::AssertionFailure() << "undefined";
  auto out = ::testing::AssertionFailure();
  out << dtype_name(got.dtype()) << shape_to_string(got.shape());
  const Tensor dense = got.contiguous();
  for (int64_t i = 0; i < dense.numel() && dense.dtype() == dtype; ++i) {
    out << " " << +dense.data_as<T>()[i];
  }
  return out;
}

}  // namespace changeaware::torch
