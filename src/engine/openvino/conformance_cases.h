// What PyTorch eager answers for operators on small inputs: one table for every test that goes
// through it. Plain constant data, so that it is compiled in seconds, also under sanitizers.
// Thread safety: pure functions.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/openvino/test_support.h"

namespace changeaware::ovn {

struct CaseNumbers {
  const char* spec;
  std::initializer_list<double> values;
};

struct ConformanceCase {
  const char* op;
  const char* graph;
  std::initializer_list<CaseNumbers> inputs;
  std::initializer_list<CaseNumbers> expected;
};

std::span<const ConformanceCase> conformance_cases();

std::vector<Numbers> numbers_of(std::initializer_list<CaseNumbers> numbers);

}  // namespace changeaware::ovn
