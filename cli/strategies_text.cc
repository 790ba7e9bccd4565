#include "cli/strategies_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using Names = std::vector<std::string>;

constexpr size_t kMostInputsOfAllSets = 3;

Names given_inputs(const Manifest& manifest) {
  Names out;
  for (const ProgramInput& input : manifest.inputs) {
    if (input.fixed_value.empty()) out.push_back(input.port.name);
  }
  return out;
}

// The sets that get a column: those that some strategy has a cost for.
std::vector<Names> columns(const Manifest& manifest, size_t input_count) {
  std::vector<Names> out;
  for (const MaskCost& mask : manifest.strategies[0].mask_costs) {
    const size_t size = mask.changed.size();
    if (input_count <= kMostInputsOfAllSets || size == 1 || size == input_count) {
      out.push_back(mask.changed);
    }
  }
  return out;
}

const MaskCost* find_cost(const Strategy& strategy, const Names& changed) {
  for (const MaskCost& mask : strategy.mask_costs) {
    if (mask.changed == changed) return &mask;
  }
  return nullptr;
}

// "1", "1+3": positions of the inputs, as the list above the table numbers them.
std::string column_title(const Names& inputs, const Names& changed) {
  if (changed.size() == inputs.size() && inputs.size() > 1) return "all";
  std::vector<size_t> numbers;
  for (const std::string& name : changed) {
    const auto at = std::find(inputs.begin(), inputs.end(), name);
    numbers.push_back(static_cast<size_t>(at - inputs.begin()) + 1);
  }
  return fmt::format("{}", fmt::join(numbers, "+"));
}

std::string times_table(const Manifest& manifest, const Names& inputs) {
  const std::vector<Names> sets = columns(manifest, inputs.size());
  Rows rows;
  Names heading = {"", "retains", "resident"};
  for (const Names& set : sets) heading.push_back(column_title(inputs, set));
  heading.push_back("strategy");
  rows.push_back(std::move(heading));
  for (size_t i = 0; i < manifest.strategies.size(); ++i) {
    const Strategy& s = manifest.strategies[i];
    Names row = {fmt::format("#{}", i + 1), format_bytes(s.retained_bytes),
                 format_bytes(s.resident_bytes)};
    for (const Names& set : sets) {
      const MaskCost* cost = find_cost(s, set);
      row.push_back(cost == nullptr ? "-" : format_time(cost->steady_us));
    }
    row.push_back(s.name);
    rows.push_back(std::move(row));
  }
  return format_table(rows, 2);
}

std::string retained_list(const Manifest& manifest) {
  Rows rows;
  for (size_t i = 0; i < manifest.strategies.size(); ++i) {
    rows.push_back({fmt::format("#{}", i + 1), join_names(manifest.strategies[i].retained)});
  }
  return format_table(rows, 2);
}

// Of the strategy that retains most: what a change of one input runs.
std::string runs_list(const Manifest& manifest, const Names& inputs) {
  const Strategy& last = manifest.strategies.back();
  Rows rows;
  for (const std::string& input : inputs) {
    const MaskCost* cost = find_cost(last, {input});
    if (cost != nullptr) {
      rows.push_back({"only " + input + " changes", "runs " + join_names(cost->runs, "nothing")});
    }
  }
  return format_table(rows, 2);
}

std::string differences_list(const Manifest& manifest) {
  std::set<std::string> texts;
  for (const Strategy& s : manifest.strategies) {
    if (!s.difference_from_main.empty()) texts.insert(s.difference_from_main);
  }
  std::string out;
  for (const std::string& text : texts) out += "  last bits differ from main's: " + text + "\n";
  return out;
}

}  // namespace

std::string strategies_text(const Manifest& manifest) {
  const Names inputs = given_inputs(manifest);
  std::string out = fmt::format("strategies: {} of {} candidates\n", manifest.strategies.size(),
                                manifest.strategy_candidates);
  out += "  time of a request that changes inputs ";
  for (size_t i = 0; i < inputs.size(); ++i) {
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", i + 1, inputs[i]);
  }
  out += "\n" + times_table(manifest, inputs) + differences_list(manifest);
  out += "retained\n" + retained_list(manifest);
  out +=
      fmt::format("runs with {}\n{}", manifest.strategies.back().name, runs_list(manifest, inputs));
  return out;
}

}  // namespace changeaware::cli
