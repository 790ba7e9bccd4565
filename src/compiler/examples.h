// Example inputs of a program: the caller's by name, else the file's sample inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pt2/program.h"

namespace changeaware {

// One dense tensor per Graph::inputs() entry, or none when there are no samples and no examples.
// Errors: InvalidArgument naming an unknown input, one with another dtype, rank or fixed size, or,
// when some are given and the file has no samples, one that is missing.
Result<std::vector<Tensor>> example_inputs(const ExportedProgram& program,
                                           const std::map<std::string, Tensor>& examples);

}  // namespace changeaware
