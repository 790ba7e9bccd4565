#include "runtime/execute.h"

#include <algorithm>

#include "base/errors.h"
#include "runtime/elapsed.h"
#include "runtime/preload.h"
#include "tensor/element.h"

namespace changeaware {
namespace {

// Program inputs densely: contents are what a version stands for, and PyTorch's last bits may
// follow the layout.
std::vector<Tensor> gather_inputs(RequestState& state, const RegionInfo& region) {
  std::vector<Tensor> tensors;
  for (const Source& source : region.inputs) {
    tensors.push_back(source.is_input ? state.inputs[source.index].tensor
                                      : state.regions[source.region].outputs[source.index]);
    if (!source.is_input || tensors.back().is_contiguous()) continue;
    state.copied_input_bytes += tensors.back().size_bytes();
    tensors.back() = tensors.back().contiguous();
  }
  return tensors;
}

// The exact engine computes in 64 bits, the fast one in 32.
Status check_integers(const RequestState& state, size_t r, const std::vector<Tensor>& inputs) {
  const RegionInfo& region = state.topology->regions[r];
  if (state.regions[r].is_exact || region.exact_node_count > 0) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Source& source = region.inputs[i];
    if (source.is_input || inputs[i].dtype() != DType::kInt64) continue;
    const RegionInfo& producer = state.topology->regions[source.region];
    const bool is_exact = producer.exact_node_count > 0 || state.regions[source.region].is_exact;
    if (is_exact) {
      CA_RETURN_IF_ERROR(check_values(producer.output_ports[source.index].name, inputs[i])
                             .with_context("callable '" + region.name + "'"));
    }
  }
  return {};
}

// A run may fail on what its assertions would have refused.
Status with_assertions(const Status& status, const RegionInfo& region) {
  if (region.assertions.empty()) return status;
  return Status(status.code(),
                fmt::format("{}; it may be that an assertion of it does not hold: {}",
                            status.message(), fmt::join(region.assertions, "; ")));
}

Status run_region(RequestState& state, size_t r, ExecutableStore& executables,
                  uint64_t resident_budget) {
  const RegionInfo& region = state.topology->regions[r];
  RegionState& result = state.regions[r];
  CA_ASSIGN_OR_RETURN(const ExecutableStore::Pinned callable,
                      executables.get(result.callable, resident_budget, state.cancellation));
  result.load_us = callable.load_us();
  const std::vector<Tensor> inputs = gather_inputs(state, region);
  CA_RETURN_IF_ERROR(check_integers(state, r, inputs));
  std::vector<Tensor> outputs(callable->output_count);
  const auto start = Clock::now();
  const Status status = callable->executable->run(inputs, outputs);
  result.engine_us = microseconds_since(start);
  result.was_cold = !callable->has_run.exchange(true);
  if (!status.ok())
    return with_assertions(status.with_context("callable '" + region.name + "'"), region);
  for (size_t i = 0; i < callable->conditions.size(); ++i) {
    if (!is_nonzero(outputs[callable->conditions[i]]))
      return failed_assertion("{}", region.assertions[i]);
  }
  outputs.resize(region.output_ports.size());
  result.outputs = std::move(outputs);
  return {};
}

bool runs_anything(const RequestState& state) {
  return std::any_of(state.plan.steps.begin(), state.plan.steps.end(),
                     [](const PlanStep& step) { return step.outcome == Decision::Outcome::kRan; });
}

// What the plan runs and is not loaded, what takes longest first. A single one is loaded by who
// runs it.
std::vector<size_t> to_preload(const RequestState& state, const ExecutableStore& executables) {
  std::vector<size_t> callables;
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const size_t callable = state.regions[r].callable;
    const bool runs = state.plan.steps[r].outcome == Decision::Outcome::kRan;
    if (runs && !executables.is_loaded(callable)) callables.push_back(callable);
  }
  if (callables.size() == 1) return {};
  std::stable_sort(callables.begin(), callables.end(), [&](size_t a, size_t b) {
    return executables.needed_bytes(a, UINT64_MAX) > executables.needed_bytes(b, UINT64_MAX);
  });
  return callables;
}

}  // namespace

Status execute_plan(RequestState& state, ExecutableStore& executables, uint64_t resident_budget,
                    RegionHooks& hooks) {
  if (runs_anything(state)) CA_RETURN_IF_ERROR(executables.check_file());
  Preload preload(executables, to_preload(state, executables), resident_budget,
                  Preload::Room::kThereIs);
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const Decision::Outcome outcome = state.plan.steps[r].outcome;
    if (outcome == Decision::Outcome::kReused) {
      state.regions[r].outputs = state.regions[r].pin.outputs();
    } else if (outcome == Decision::Outcome::kRan) {
      CA_RETURN_IF_ERROR(state.cancellation.status());
      CA_ASSIGN_OR_RETURN(const bool is_spared, hooks.spare(state, r));
      if (is_spared) continue;
      const Status status = run_region(state, r, executables, resident_budget);
      hooks.ran(state, r, status);
      CA_RETURN_IF_ERROR(status);
    }
  }
  return {};
}

}  // namespace changeaware
