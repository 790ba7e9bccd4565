// What the engine's tests share: running a graph in text form on given numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/openvino/openvino_engine.h"
#include "graph/text.h"

namespace changeaware::ovn {

// A tensor as a test writes it: {"f32[2, 3]", {1, 2, 3, 4, 5, 6}}.
struct Numbers {
  std::string spec;
  std::vector<double> values;
};

Tensor tensor_of(const Numbers& numbers);
std::vector<double> values_of(const Tensor& tensor);

// Process-wide, as making one is slow.
const Engine& test_engine();
Result<std::unique_ptr<Executable>> compile_text(const std::string& graph);
Result<std::vector<Tensor>> run_text(const std::string& graph, const std::vector<Numbers>& inputs);

// Same dtype and shape, integers equal, floats within `relative` and 1e-5, NaN where NaN is due.
::testing::AssertionResult matches(const Tensor& got, const Numbers& expected,
                                   double relative = 1e-4);

}  // namespace changeaware::ovn
