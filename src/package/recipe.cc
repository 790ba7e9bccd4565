#include "package/recipe.h"

#include <algorithm>

namespace changeaware {

Recipe::Recipe(const Manifest& manifest, std::span<const std::string> callables)
    : words_((manifest.inputs.size() + 63) / 64), dependencies_(words_ * callables.size(), 0) {
  std::map<std::string_view, size_t> numbers;
  for (size_t i = 0; i < manifest.callables.size(); ++i) numbers[manifest.callables[i].name] = i;
  for (const std::string& name : callables) {
    const size_t place = callables_.size();
    callables_.push_back(numbers.at(name));
    const Callable& callable = manifest.callables[callables_.back()];
    asserts_.push_back(!callable.assertions.empty());
    for (const Port& input : callable.inputs) {
      const auto it = ports_.find(input.name);
      if (it != ports_.end()) reads_.push_back(static_cast<uint32_t>(it->second));
    }
    first_read_.push_back(reads_.size());
    add_dependencies(manifest, callable, place);
    for (const Port& output : callable.outputs) {
      ports_.emplace(output.name, place_of_port_.size());
      place_of_port_.push_back(static_cast<uint32_t>(place));
    }
    first_port_.push_back(place_of_port_.size());
  }
  for (const ProgramOutput& output : manifest.outputs) {
    if (output.kind != ProgramOutput::Kind::kPort) continue;
    if (const auto result = port(output.port.name)) results_.push_back(*result);
  }
  std::sort(results_.begin(), results_.end());
  results_.erase(std::unique(results_.begin(), results_.end()), results_.end());
}

void Recipe::add_dependencies(const Manifest& manifest, const Callable& callable, size_t place) {
  for (size_t i = 0; i < manifest.inputs.size(); ++i) {
    const auto& names = callable.dependencies;
    if (std::find(names.begin(), names.end(), manifest.inputs[i].port.name) == names.end())
      continue;
    dependencies_[place * words_ + i / 64] |= uint64_t{1} << i % 64;
  }
  for (size_t r = first_read_[place]; r < first_read_[place + 1]; ++r) {
    const size_t writer = place_of_port_[reads_[r]];
    for (size_t w = 0; w < words_; ++w) {
      dependencies_[place * words_ + w] |= dependencies_[writer * words_ + w];
    }
  }
}

std::optional<size_t> Recipe::port(std::string_view name) const {
  const auto it = ports_.find(name);
  if (it == ports_.end()) return std::nullopt;
  return it->second;
}

bool Recipe::meets(size_t place, std::span<const uint64_t> changed) const {
  for (size_t w = 0; w < words_; ++w) {
    if ((dependencies_[place * words_ + w] & changed[w]) != 0) return true;
  }
  return false;
}

std::vector<bool> Recipe::runs(const std::vector<bool>& retained,
                               const std::vector<bool>& changed) const {
  return runs(retained, changed, results_);
}

std::vector<bool> Recipe::runs(const std::vector<bool>& retained, const std::vector<bool>& changed,
                               std::span<const size_t> wanted) const {
  // One buffer: words of `changed`, then a byte per port that says whether it is demanded.
  std::vector<uint64_t> buffer(words_ + (port_count() + 7) / 8, 0);
  const std::span<uint64_t> changes(buffer.data(), words_);
  auto* const demanded = reinterpret_cast<uint8_t*>(buffer.data() + words_);
  for (size_t i = 0; i < changed.size(); ++i) {
    if (changed[i]) changes[i / 64] |= uint64_t{1} << i % 64;
  }
  for (size_t port : wanted) demanded[port] = 1;
  std::vector<bool> out(size(), false);
  for (size_t place = size(); place-- > 0;) {
    bool needed = false;
    bool lost = false;
    for (size_t port = first_port_[place]; port < first_port_[place + 1]; ++port) {
      if (demanded[port] == 0) continue;
      needed = true;
      lost = lost || !retained[port];
    }
    if (!(lost || ((needed || asserts_[place] != 0) && meets(place, changes)))) continue;
    out[place] = true;
    for (size_t r = first_read_[place]; r < first_read_[place + 1]; ++r) demanded[reads_[r]] = 1;
  }
  return out;
}

}  // namespace changeaware
