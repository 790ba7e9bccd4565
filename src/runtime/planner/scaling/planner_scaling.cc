// planner_scaling: what planning one request takes, as one line of JSON.
//
// A program of 64 inputs and 200 segments under 32 strategies: towers of two segments per input,
// and a chain of segments that reads them. Each round another input has changed, so that the walk
// meets what is retained in another place.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "runtime/planner/planner.h"

namespace {

using namespace changeaware;

constexpr size_t kInputs = 64;
constexpr size_t kSegments = 200;
constexpr size_t kStrategies = 32;
constexpr size_t kRounds = 20000;

Port port(const std::string& name) { return {name, DType::kFloat32, {"1"}}; }

// Segment 2i and 2i + 1 are the tower of input i; each later one reads the one before it and a
// tower.
Manifest make_manifest() {
  Manifest m;
  for (size_t i = 0; i < kInputs; ++i) m.inputs.push_back({port(fmt::format("in{}", i)), ""});
  for (size_t s = 0; s < kSegments; ++s) {
    Callable c{.name = fmt::format("segment{}", s)};
    c.outputs = {port(fmt::format("v{}", s))};
    const size_t tower = (s < 2 * kInputs ? s / 2 : s % kInputs);
    const size_t first = s < 2 * kInputs ? tower : 0;
    const size_t last = s < 2 * kInputs ? tower : kInputs - 1;
    for (size_t i = first; i <= last; ++i) c.dependencies.push_back(fmt::format("in{}", i));
    if (s < 2 * kInputs && s % 2 == 0) {
      c.inputs = {port(fmt::format("in{}", tower))};
    } else {
      c.inputs = {port(fmt::format("v{}", s - 1))};
      if (s >= 2 * kInputs) c.inputs.push_back(port(fmt::format("v{}", 2 * tower + 1)));
    }
    m.callables.push_back(std::move(c));
  }
  m.outputs = {{.name = "out", .port = port(fmt::format("v{}", kSegments - 1))}};
  return m;
}

struct Setting {
  Topology topology;
  std::vector<StrategyOffer> offers;
  std::vector<RegionCost> costs;
  PlanRequest request;
};

Setting make_setting() {
  const Manifest manifest = make_manifest();
  std::vector<std::string> callables;
  for (const Callable& c : manifest.callables) callables.push_back(c.name);
  Setting s{make_topology(manifest, callables), {}, {}, {}};
  for (size_t i = 0; i < kStrategies; ++i)
    s.offers.push_back({(kStrategies - i) << 20, 100.0 + static_cast<double>(i)});
  s.costs.assign(kSegments, {100, 200, 1000, 1 << 20});
  s.request.wanted = {true};
  s.request.all_assertions = true;
  s.request.changed = {0};
  s.request.available.assign(s.topology.output_count, 1);
  for (auto* list : {&s.request.present, &s.request.loaded}) list->assign(kSegments, 1);
  s.request.evicted.assign(kSegments, 0);
  return s;
}

// What depends on input `i` is not retained under its new version.
void change(Setting& s, size_t i) {
  s.request.changed[0] = uint64_t{1} << i;
  for (size_t r = 0; r < kSegments; ++r) {
    const bool stays = (s.topology.regions[r].depends_on[0] & s.request.changed[0]) == 0;
    s.request.present[r] = s.request.available[r] = stays;
  }
}

}  // namespace

int main() {
  Setting s = make_setting();
  std::vector<double> us;
  size_t runs = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    change(s, round % kInputs);
    const auto start = std::chrono::steady_clock::now();
    const auto plan = make_plan(s.topology, s.offers, s.request, s.costs, {16 << 20, UINT64_MAX});
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    if (!plan.ok()) return 1;
    for (const PlanStep& step : plan->steps) runs += step.outcome == Decision::Outcome::kRan;
    us.push_back(time.count());
  }
  std::sort(us.begin(), us.end());
  fmt::print(
      "{{\"strategies\": {}, \"inputs\": {}, \"segments\": {}, \"runs\": {:.1f}, \"p50_us\": "
      "{:.3f}, "
      "\"p95_us\": {:.3f}}}\n",
      kStrategies, kInputs, kSegments, static_cast<double>(runs) / kRounds, us[us.size() / 2],
      us[us.size() * 95 / 100]);
  return 0;
}
