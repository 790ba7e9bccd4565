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

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: model_bench WORKLOAD.json\n");
    return 2;
  }
  try {
    using namespace changeaware::bench;
    const Workload workload = read_workload(argv[1]);
    std::vector<ScenarioResult> results;
    for (const ModelWork& model : workload.models) {
      fmt::print(stderr, "measuring {} ...\n", model.name);
      for (ScenarioResult& r : run_scenarios(model, workload.threads))
        results.push_back(std::move(r));
    }
    fmt::print("{}\n", results_to_json(results, workload.threads));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "model_bench: {}\n", e.what());
    return 1;
  }
}
