#include "strategy/simulation.h"

#include <algorithm>
#include <utility>

#include "strategy/change_sets.h"

namespace changeaware {
namespace {

constexpr size_t kMostInputsOfAllMasks = 6;

std::vector<size_t> given_inputs(const Manifest& manifest) {
  std::vector<size_t> out;
  for (size_t i = 0; i < manifest.inputs.size(); ++i) {
    if (manifest.inputs[i].fixed_value.empty()) out.push_back(i);
  }
  return out;
}

// Sets of changed inputs, as positions in Manifest::inputs, increasing.
std::vector<std::vector<size_t>> change_masks(const std::vector<size_t>& inputs) {
  const auto sets = inputs.size() > kMostInputsOfAllMasks ? covering_change_sets(inputs.size())
                                                          : all_change_sets(inputs.size());
  std::vector<std::vector<size_t>> out;
  for (const InputSet& set : sets) {
    if (set.none()) continue;
    out.emplace_back();
    for (size_t i : members(set)) out.back().push_back(inputs[i]);
  }
  return out;
}

}  // namespace

Simulation::Simulation(const Manifest& manifest, std::vector<std::string> callables)
    : manifest_(manifest),
      callables_(std::move(callables)),
      recipe_(manifest, callables_),
      inputs_(given_inputs(manifest)),
      masks_(change_masks(inputs_)) {
  for (size_t port : recipe_.results()) results_.push_back({port});
  if (results_.empty()) results_.emplace_back();
}

// By input, then by result.
std::vector<Simulation::Places> Simulation::walk(const std::vector<std::string>& retained) const {
  std::vector<bool> kept(recipe_.port_count(), false);
  for (const std::string& name : retained) {
    if (const auto port = recipe_.port(name)) kept[*port] = true;
  }
  std::vector<Places> out;
  for (size_t input : inputs_) {
    std::vector<bool> changed(manifest_.inputs.size(), false);
    changed[input] = true;
    for (const auto& wanted : results_) {
      const std::vector<bool> runs = recipe_.runs(kept, changed, wanted);
      out.emplace_back(runs.size());
      for (size_t place = 0; place < runs.size(); ++place) out.back()[place] = runs[place];
    }
  }
  return out;
}

Simulation::Places Simulation::runs_of_mask(const std::vector<Places>& walks,
                                            const std::vector<size_t>& mask) const {
  Places out(callables_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!std::binary_search(mask.begin(), mask.end(), inputs_[i])) continue;
    for (size_t r = 0; r < results_.size(); ++r) out |= walks[i * results_.size() + r];
  }
  return out;
}

double Simulation::sum(const Places& runs, double CallableCosts::*cost) const {
  double out = 0;
  for (size_t p = runs.find_first(); p != Places::npos; p = runs.find_next(p)) {
    out += manifest_.callables[recipe_.callable(p)].costs.*cost;
  }
  return out;
}

Profile Simulation::profile(const std::vector<std::string>& retained,
                            uint64_t retained_bytes) const {
  Profile out;
  out.retained_bytes = retained_bytes;
  out.is_monolithic = callables_ == std::vector<std::string>{"main"};
  out.runs = walk(retained);
  for (const auto& mask : masks_) {
    out.steady_us.push_back(sum(runs_of_mask(out.runs, mask), &CallableCosts::steady_us));
  }
  for (size_t r = 0; r < results_.size(); ++r) {
    Places runs(callables_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) runs |= out.runs[i * results_.size() + r];
    out.steady_us.push_back(sum(runs, &CallableCosts::steady_us));
  }
  return out;
}

Strategy Simulation::strategy(std::string name, const std::vector<std::string>& retained,
                              uint64_t retained_bytes) const {
  Strategy out;
  out.name = std::move(name);
  out.callables = callables_;
  out.retained = retained;
  out.retained_bytes = retained_bytes;
  for (size_t place = 0; place < recipe_.size(); ++place) {
    out.resident_bytes += manifest_.callables[recipe_.callable(place)].costs.resident_bytes;
  }
  const std::vector<Places> walks = walk(retained);
  for (const auto& mask : masks_) {
    MaskCost cost;
    for (size_t input : mask) cost.changed.push_back(manifest_.inputs[input].port.name);
    const Places runs = runs_of_mask(walks, mask);
    for (size_t p = runs.find_first(); p != Places::npos; p = runs.find_next(p)) {
      cost.runs.push_back(callables_[p]);
    }
    cost.steady_us = sum(runs, &CallableCosts::steady_us);
    cost.p95_us = sum(runs, &CallableCosts::p95_us);
    out.mask_costs.push_back(std::move(cost));
  }
  return out;
}

}  // namespace changeaware
