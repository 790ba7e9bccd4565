#include "runtime/planner/forecast.h"

#include <algorithm>

namespace changeaware {
namespace {

constexpr size_t kMostMasks = 8;
constexpr double kNewest = 0.2;  // weight of the newest request
constexpr double kLeastPrior = 0.05;

}  // namespace

Forecast::Forecast(const Manifest& manifest, const Recipe& recipe, std::vector<size_t> strategies)
    : recipe_(recipe) {
  for (size_t s : strategies) {
    const Strategy& strategy = manifest.strategies[s];
    std::vector<bool> retained(recipe.port_count());
    for (const std::string& name : strategy.retained) {
      if (const auto port = recipe.port(name)) retained[*port] = true;
    }
    retained_.push_back(std::move(retained));
    offers_.push_back({strategy.retained_bytes, 0});
  }
  prior_us_.resize(strategies.size());
  const CostModel costs(manifest);
  const auto is_given = [](const ProgramInput& input) { return input.fixed_value.empty(); };
  const auto given = std::count_if(manifest.inputs.begin(), manifest.inputs.end(), is_given);
  for (size_t i = 0; i < manifest.inputs.size(); ++i) {
    if (!is_given(manifest.inputs[i])) continue;
    std::vector<bool> changed(manifest.inputs.size());
    changed[i] = true;
    MaskSeen mask = mask_of(std::move(changed));
    price(mask, costs);
    for (size_t s = 0; s < prior_us_.size(); ++s)
      prior_us_[s] += mask.us[s] / static_cast<double>(given);
  }
  sum_up();
}

Forecast::MaskSeen Forecast::mask_of(std::vector<bool> changed) const {
  MaskSeen mask{std::move(changed), 0, {}, {}};
  for (const auto& retained : retained_) mask.runs.push_back(recipe_.runs(retained, mask.changed));
  return mask;
}

void Forecast::price(MaskSeen& mask, const CostModel& costs) const {
  mask.us.assign(retained_.size(), 0);
  for (size_t s = 0; s < retained_.size(); ++s) {
    for (size_t place = 0; place < recipe_.size(); ++place) {
      if (mask.runs[s][place]) mask.us[s] += costs.cost(recipe_.callable(place)).warm_us;
    }
  }
}

void Forecast::sum_up() {
  double seen = 0;
  for (const MaskSeen& mask : masks_) seen += mask.weight;
  const double prior = std::max(1 - seen, kLeastPrior);
  for (size_t s = 0; s < offers_.size(); ++s) {
    offers_[s].forecast_us = prior * prior_us_[s];
    for (const MaskSeen& mask : masks_) offers_[s].forecast_us += mask.weight * mask.us[s];
  }
}

void Forecast::record(const std::vector<bool>& changed, const CostModel& costs) {
  if (std::find(changed.begin(), changed.end(), true) == changed.end()) return;
  for (MaskSeen& mask : masks_) mask.weight *= 1 - kNewest;
  const auto same = [&](const MaskSeen& mask) { return mask.changed == changed; };
  auto it = std::find_if(masks_.begin(), masks_.end(), same);
  if (it == masks_.end()) {
    const auto lighter = [](const MaskSeen& a, const MaskSeen& b) { return a.weight < b.weight; };
    if (masks_.size() == kMostMasks)
      masks_.erase(std::min_element(masks_.begin(), masks_.end(), lighter));
    masks_.push_back(mask_of(changed));
    it = std::prev(masks_.end());
  }
  it->weight += kNewest;
  price(*it, costs);
  sum_up();
}

}  // namespace changeaware
