// model_bench WORKLOAD.json: measures what the workload says and prints the results as JSON.
//
// Ours and each peer run in this one process, in turn, with the same number of threads.
// bench/run.py writes the workload and makes a table of the results.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "bench/results.h"
#include "bench/scenarios.h"
#include "bench/workload.h"

namespace {

using namespace changeaware::bench;

void measure_model(const ModelWork& model, Results& results) {
  const auto package = open_package(model.package);
  fmt::print(stderr, "measuring {} ...\n", model.name);
  for (ScenarioResult& r : run_scenarios(model, package, results.threads)) {
    results.scenarios.push_back(std::move(r));
  }
  for (const Trace& trace : model.traces) {
    fmt::print(stderr, "measuring {}, trace: {} ...\n", model.name, trace.name);
    results.traces.push_back(run_trace(model, package, results.threads, trace));
  }
  for (const BudgetWork& work : model.budgets) {
    fmt::print(stderr, "measuring {}, budget: {} ...\n", model.name, work.name);
    results.budgets.push_back(run_budget(model, package, results.threads, work));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: model_bench WORKLOAD.json\n");
    return 2;
  }
  try {
    const Workload workload = read_workload(argv[1]);
    Results results;
    results.threads = workload.threads;
    for (const ModelWork& model : workload.models) measure_model(model, results);
    fmt::print("{}\n", results_to_json(results));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "model_bench: {}\n", e.what());
    return 1;
  }
}
