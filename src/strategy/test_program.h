// A program in the text form of graphs as regions and a manifest, for tests.
#pragma once

#include <string>
#include <vector>

#include "changeaware/package.h"
#include "pt2/program.h"
#include "strategy/execution.h"

namespace changeaware::testing {

struct TestProgram {
  std::vector<ExportedProgram> regions;  // `main`, then the segments
  Manifest manifest;                     // valid, with `monolithic` and "full_retention"
  std::vector<Tensor> examples;
};

// `text` as in graph/text.h. Examples of float inputs are 1, 2, 3, …; others 0, 1, 2, ….
// Expects success.
TestProgram make_test_program(const std::string& text);

}  // namespace changeaware::testing
