#include "strategy/region_runner.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "analysis/cost.h"
#include "base/errors.h"
#include "base/process_memory.h"
#include "graph/subgraph.h"
#include "tensor/element.h"

namespace changeaware {
namespace {

constexpr size_t kLeastWarmRuns = 3;
constexpr size_t kMostWarmRuns = 20;
constexpr double kEnoughWarmMicroseconds = 20e3;

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The smallest value that at least `fraction` of them do not exceed.
double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<size_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  return values[at];
}

}  // namespace

uint64_t private_memory_bytes() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  const auto memory = process_memory();
  return memory.ok() ? memory->anonymous_bytes : 0;
}

Result<RegionRunner> RegionRunner::load(const Engine& engine, const std::string& name,
                                        const Graph& region) {
  RegionRunner out;
  out.bytes_before_ = private_memory_bytes();
  const Clock::time_point start = Clock::now();
  const Graph callable = callable_graph(region);
  auto executable = engine.compile(callable);
  if (!executable.ok()) return executable.status().with_context(name);
  out.load_us_ = microseconds_since(start);
  out.executable_ = *std::move(executable);
  for (ValueId id : callable.inputs()) out.inputs_.push_back(callable.value(id).name);
  for (const Argument& output : callable.outputs()) {
    out.outputs_.push_back(callable.value(std::get<ValueRef>(output).id).name);
  }
  for (const Assertion& a : region.assertions()) {
    const auto at =
        std::find(out.outputs_.begin(), out.outputs_.end(), region.value(a.condition).name);
    if (at == out.outputs_.end()) continue;  // an input: refused when the program was partitioned
    out.conditions_.push_back({static_cast<size_t>(at - out.outputs_.begin()), a.message});
  }
  return out;
}

Result<std::vector<Tensor>> RegionRunner::run(std::span<const Tensor> inputs) {
  std::vector<Tensor> outputs(outputs_.size());
  const Clock::time_point start = Clock::now();
  CA_RETURN_IF_ERROR(executable_->run(inputs, outputs));
  const double elapsed = microseconds_since(start);
  CA_RETURN_IF_ERROR(check_assertions(outputs));
  if (ran_) {
    warm_us_.push_back(elapsed);
    return outputs;
  }
  ran_ = true;
  cold_us_ = elapsed;
  // Engines allocate their work space on the first run; the results are not theirs.
  uint64_t expected = bytes_before_;
  for (const Tensor& output : outputs) expected += output.size_bytes();
  const uint64_t now = private_memory_bytes();
  resident_bytes_ = now > expected ? now - expected : 0;
  return outputs;
}

Status RegionRunner::check_assertions(const std::vector<Tensor>& outputs) const {
  for (const Condition& condition : conditions_) {
    if (!is_nonzero(outputs[condition.output])) {
      return failed_assertion("on the example inputs: {}", condition.message);
    }
  }
  return {};
}

bool RegionRunner::wants_more_runs() const {
  if (warm_us_.size() < kLeastWarmRuns) return true;
  const double total = std::accumulate(warm_us_.begin(), warm_us_.end(), 0.0);
  return warm_us_.size() < kMostWarmRuns && total < kEnoughWarmMicroseconds;
}

CallableCosts RegionRunner::costs(uint64_t weight_bytes) const {
  return {.steady_us = percentile(warm_us_, 0.5),
          .p95_us = percentile(warm_us_, 0.95),
          .cold_us = cold_us_,
          .load_us = load_us_,
          .resident_bytes = resident_bytes_ > 0 ? resident_bytes_ : weight_bytes};
}

CallableCosts nominal_costs(const Graph& region, uint64_t weight_bytes) {
  double us = 0;
  for (const Node& node : region.nodes()) us += nominal_microseconds(estimate_cost(region, node));
  return {.steady_us = us, .p95_us = us, .cold_us = us, .resident_bytes = weight_bytes};
}

}  // namespace changeaware
