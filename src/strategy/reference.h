// Comparison of `main` with outputs that were recorded elsewhere.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "changeaware/package.h"
#include "strategy/execution.h"

namespace changeaware {

// InvalidArgument for a name that is no tensor output of the program, listing those, and for
// another dtype or rank, naming the output.
Status check_reference(const Manifest& manifest, const std::map<std::string, Tensor>& reference);

// The first difference outside the tolerance, with output, element and both values; empty when
// there is none. `result` gives what `main` returns at a position of Manifest::outputs.
// REQUIRES: check_reference() is OK.
std::string compare_with_reference(const Manifest& manifest, const Reference& reference,
                                   const std::function<Tensor(size_t)>& result);

}  // namespace changeaware
