// What compile() decides from an execution: costs, strategies, and what is turned down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "changeaware/compiler.h"
#include "pt2/program.h"
#include "strategy/execution.h"
#include "strategy/strategies.h"

namespace changeaware {

// InvalidArgument naming the option that is out of range.
Status check_options(const CompileOptions& options);

// Unsupported when the engine contradicts itself or the reference, with output, element and both
// values.
Status check_execution(const std::string& model_path, const Execution& execution);

// Measured costs, or estimates when nothing was executed.
void set_costs(const std::vector<ExportedProgram>& regions,
               const std::optional<Execution>& execution, Manifest& manifest);

// Chooses strategies by the costs of the callables. What is turned down is a rejection.
void add_strategies(std::vector<ClassCuts> classes, const CompileOptions& options,
                    Manifest& manifest);

// Turns down the strategies that are not equal to what was executed, notes how the others compare
// with `main`, and drops callables that no strategy runs, from the regions too.
void keep_equal_strategies(const Execution& execution, Manifest& manifest,
                           std::vector<ExportedProgram>& regions);

}  // namespace changeaware
