#include "runtime/response.h"

#include <set>

#include "base/errors.h"

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;

Result<Tensor> output_tensor(const RequestState& state, const ResultInfo& result,
                             ConstantOutputs& constants, std::set<const void*>& handed_over) {
  using Kind = ProgramOutput::Kind;
  const ProgramOutput& output = result.output;
  switch (output.kind) {
    case Kind::kNone:
    case Kind::kString: return Tensor();
    case Kind::kInt: return Tensor::of<int64_t>(DType::kInt64, {}, {output.int_value});
    case Kind::kFloat: return Tensor::of<double>(DType::kFloat64, {}, {output.float_value});
    case Kind::kBool:
      return Tensor::of<uint8_t>(DType::kBool, {}, {static_cast<uint8_t>(output.int_value)});
    case Kind::kConstantTensor: return constants.get(output.port.name);
    case Kind::kPort: break;
  }
  if (result.source.is_input) return state.inputs[result.source.index].tensor.clone();
  const RegionState& region = state.regions[result.source.region];
  const Tensor& tensor = region.outputs[result.source.index];
  const bool own =
      !region.retained && !region.is_shared && handed_over.insert(tensor.data()).second;
  return own ? tensor.contiguous() : tensor.clone();
}

void fill_report(const RequestState& state, Report& report) {
  report.predicted_us = state.plan.predicted_us;
  report.copied_input_bytes = state.copied_input_bytes;
  report.fingerprint_us = state.fingerprint_us;
  report.plan_us = state.plan_us;
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    if (state.inputs[i].changed) report.changed.push_back(state.topology->inputs[i].port.name);
  }
  report.decisions = make_decisions(state);
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const Decision& decision = report.decisions[r];
    if (decision.outcome == Outcome::kRan) report.ran.push_back(decision.callable);
    if (decision.outcome == Outcome::kReused) report.reused.push_back(decision.callable);
    report.engine_us += state.regions[r].engine_us;
  }
}

}  // namespace

Result<Tensor> ConstantOutputs::get(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!tensors_.contains(name)) {
    CA_ASSIGN_OR_RETURN(const ExportedProgram main, package_->region("main"));
    const Constant* found = main.graph.constant_of(main.graph.find_value(name));
    if (found == nullptr) return corrupt("{}: main has no constant '{}'", package_->path(), name);
    tensors_[name] = found->tensor.clone();
  }
  return tensors_[name].clone();
}

std::vector<Decision> make_decisions(const RequestState& state) {
  std::vector<Decision> out;
  out.reserve(state.regions.size());
  for (size_t r = 0; r < state.regions.size(); ++r) {
    const RegionInfo& info = state.topology->regions[r];
    const PlanStep& step = state.plan.steps[r];
    const RegionState& region = state.regions[r];
    out.push_back({info.name, step.outcome, step.cause,
                   cause_text(*state.topology, info, step.cause, state.ask.changed),
                   region.retained, region.not_retained_why});
  }
  return out;
}

Result<Response> make_response(const RequestState& state, const std::string& strategy,
                               ConstantOutputs& constants) {
  Response response;
  std::set<const void*> handed_over;
  for (size_t i = 0; i < state.wanted.size(); ++i) {
    if (!state.wanted[i]) continue;
    const ResultInfo& result = state.topology->results[i];
    CA_ASSIGN_OR_RETURN(Tensor tensor, output_tensor(state, result, constants, handed_over));
    response.outputs.push_back({result.output.name, std::move(tensor)});
  }
  fill_report(state, response.report);
  response.report.strategy = strategy;
  return response;
}

}  // namespace changeaware
